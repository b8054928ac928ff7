"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="backup",
    about="Everything in one file, sealed by a passphrase, and back from it.",
    commands=rows_in("vademecum.plugins.backup.commands", "COMMANDS"),
    first_words={"backup": "Put everything into one file, and back from it."},
    usual={"backup": "make"},
    menu={"Maintain": "backup"},
    examples="""
backup make: backup make all.age
backup make: backup make all.zip --unencrypted
backup check: backup check all.age
backup check: backup check all.age --json
backup restore: backup restore all.age --to ~/Memory
backup restore: backup restore all.age --to ~/Memory --json
""",
)
