"""What `vade lint` looks for: one table of checks, what each finds in the files, and what can be set right without a decision."""
