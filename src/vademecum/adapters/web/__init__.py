"""HTTP: endpoints that answer in JSON, and pages of the web."""
