"""`python -m vademecum` is `vade`."""

from vademecum.doors.entry import main

if __name__ == "__main__":
    main()
