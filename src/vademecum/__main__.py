"""`python -m vademecum` is `vade`."""

from vademecum.doors.cli import main

if __name__ == "__main__":
    main()
