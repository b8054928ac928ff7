"""What a host runs at each of its events, as `python -I -S client.py HOST`: runs `carrier.py` in the same folder.

`vade install` copies it out of the package, next to `hook.conf` (see place.py). It must work for years without attention, and always
exits with 0, because hosts read other codes as "block the prompt" (X-34). It is this short because Python compiles a script at each
run, and an imported module only once.
"""

import os
import sys


def main() -> None:
    """Answer a hook. Never raises, never exits with anything but 0."""
    try:
        folder = os.path.dirname(os.path.abspath(sys.argv[0]))
        sys.path.insert(0, folder)
        try:
            from carrier import carry  # type: ignore[import-not-found]
        except BaseException:  # the compiled file may be damaged
            names = {"__name__": "carrier"}
            with open(folder + "/carrier.py", "rb") as file:
                exec(compile(file.read(), "carrier.py", "exec"), names)
            carry = names["carry"]
        carry(folder)
    except BaseException:
        pass
    finally:
        os._exit(0)  # at once: other threads or the interpreter shutdown might print something that reaches the host


if __name__ == "__main__":
    main()
