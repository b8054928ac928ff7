"""Spans and metrics of searches, saves and deliveries, for OpenTelemetry."""
