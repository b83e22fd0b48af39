"""How a script ends by a signal: what it runs ends first, and then the script dies of that signal,
so that a shell that called it stops as well."""
import os
import signal


class Stopped(KeyboardInterrupt):
    def __init__(self, number):
        super().__init__()
        self.number = number


def listen():
    """From now on each of these signals raises Stopped, but those that nohup keeps away."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def die_of(stopped):
    signal.signal(stopped.number, signal.SIG_DFL)
    os.kill(os.getpid(), stopped.number)


def _stop(number, _):
    raise Stopped(number)
