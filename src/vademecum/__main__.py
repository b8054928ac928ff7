"""`python -m vademecum` is `vade`."""

from vademecum.entrypoints.cli.entry import main

if __name__ == "__main__":
    main()
