"""Files of this device: its configuration, its queue and log of hook events, pauses, prepared briefings, secrets."""
