"""Question -> ranked hits: shape, scope, arms, fusion, adjustment, gate. One pipeline; a profile is data."""
