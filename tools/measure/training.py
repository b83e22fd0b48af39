"""One training of an experiment: begins it, goes on with it, stops it after a time, measures it.

Its run directory stays in build/bench-runs, so that a later call goes on where this one stopped:
what an interrupted experiment has cost is never lost. Only a run that is no longer the one asked
for, because its example has changed, begins anew.
"""
import json
import re
import shutil
import subprocess
import threading
import time
from typing import NamedTuple

from measure.programs import ROOT, Failed, peer, run, run_json, say, words

RUNS = ROOT / "build/bench-runs"
SECONDS_BETWEEN_LINES = 30


class Training(NamedTuple):
    label: str         # for people
    folder: str        # its own in build/bench-runs
    example: str       # the run file
    settings: tuple    # KEY=VALUE, beside the run file's


class Outcome(NamedTuple):
    generation: int    # that it has reached
    generations: int   # that it is meant to have
    minutes: float     # of training, of all calls together
    figures: dict      # by their names, as `peer evaluate` has them

    def finished(self):
        return self.generation >= self.generations

    def figure(self, name):
        """A figure by the beginning of its name; not a number where it was refused."""
        found = [value for known, value in self.figures.items() if known.startswith(name)]
        return found[0] if found and found[0] is not None else float("nan")


def directory(training):
    return RUNS / training.folder


def forget(training):
    shutil.rmtree(directory(training), ignore_errors=True)


def has_checkpoint(training):
    folder = directory(training) / "run/checkpoints"
    return folder.is_dir() and any(entry.name.isdigit() for entry in folder.iterdir())


def read_json(path, otherwise):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return otherwise


def settings(training):
    return [word for setting in training.settings for word in ("--set", setting)]


def identity(run_file, *options):
    """What a run file means: the run's id, and what shapes its figures beside what is in the id."""
    text = run([peer(), "check", run_file, *options])
    return (re.search(r"^# run id (\w+)$", text, re.M)[1],
            re.findall(r"^(generations|rows|columns) = (\d+)\b", text, re.M))


def is_of_another_run(training):
    """Whether what is kept is not what the example and its settings mean now. The run's own file
    is asked: it is there from the first moment on, finished or not."""
    kept = directory(training) / "run/run.toml"
    if not kept.exists():
        return False
    wanted = identity(training.example, *settings(training))
    try:
        return identity(kept) != wanted
    except Failed:  # of a peer that knew other keys
        return True


def follow(training, process):
    """Prints the newest of the peer's lines now and then; keeps the last for an error."""
    last, said = "", time.monotonic()
    for line in process.stderr:
        last = line.strip()
        if time.monotonic() - said >= SECONDS_BETWEEN_LINES:
            said = time.monotonic()
            say(f"  {training.label}: {last}")
    return last


def stop_once(process):
    """A function that lets the peer end its generation; a second call is not the peer's second
    signal, which would end it at once."""
    asked = threading.Lock()
    return lambda: asked.acquire(blocking=False) and process.terminate()


def wait_for_the_end(process):
    try:
        process.communicate()
    except KeyboardInterrupt:  # again: somebody means it
        process.kill()
        raise


def train(training, minutes):
    """Trains for at most so many minutes. The peer ends at a whole generation, which it saves:
    when time is up, and when somebody presses Ctrl-C."""
    out = directory(training) / "run"
    command = [peer(), training.example, "--out", out]
    if has_checkpoint(training):
        command.append("--resume")
    command += settings(training)
    # In a session of its own: Ctrl-C is for us alone, who then ask the peer to stop. It would else
    # get two signals, and the second ends it at once.
    with subprocess.Popen(words(command), cwd=ROOT, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        stop = stop_once(process)
        timer = threading.Timer(60 * minutes, stop)
        timer.start()
        try:
            last = follow(training, process)
        except KeyboardInterrupt:
            say(f"  {training.label}: stopping at the end of its generation ...")
            stop()
            wait_for_the_end(process)
            raise
        finally:
            timer.cancel()
    if process.returncode != 0:
        raise Failed(f"{training.label}: {' '.join(words(command))} ended with "
                     f"{process.returncode}: {last}")


def minutes_spent(training):
    """In all calls together, also in those that ended by Ctrl-C, which leave no outcome."""
    noted = read_json(directory(training) / "outcome.json", {"minutes": 0})["minutes"]
    return read_json(directory(training) / "minutes.json", noted)


def train_and_note_the_minutes(training, minutes):
    spent, start = minutes_spent(training), time.monotonic()
    try:
        train(training, minutes)
    finally:
        directory(training).mkdir(parents=True, exist_ok=True)
        spent += (time.monotonic() - start) / 60
        (directory(training) / "minutes.json").write_text(f"{spent}\n")


def measure(training):
    """The best cell's mixture, by 10,000 samples, and where the run stands."""
    out = directory(training) / "run"
    summary = read_json(out / "summary.json", None)
    if summary is None:
        raise Failed(f"{training.label} ended without a summary; give it more --minutes")
    found = run_json([peer(), "evaluate", out, "--json", "-n", 10000])
    return {"generation": found["generation"], "generations": summary["generations"],
            "figures": {f["name"]: f["value"] for f in found["figures"]}}


def advance(training, minutes):
    """Goes on with a training for at most so many minutes; what is finished is only read."""
    if is_of_another_run(training):
        say(f"  {training.label}: {training.example} has changed, what is kept is forgotten")
        forget(training)
    note = directory(training) / "outcome.json"
    before = read_json(note, None)
    if before and before["generation"] >= before["generations"]:
        say(f"  {training.label}: finished already, in {directory(training).relative_to(ROOT)}")
        return Outcome(**before)
    goes_on = has_checkpoint(training)
    if not goes_on:
        forget(training)
    say(f"  {training.label}: {'goes on' if goes_on else 'begins'}")
    train_and_note_the_minutes(training, minutes)
    now = measure(training) | {"minutes": minutes_spent(training)}
    note.write_text(json.dumps(now, indent=2) + "\n")
    say(f"  {training.label}: at generation {now['generation']} of {now['generations']} after "
        f"{now['minutes']:.1f} minutes")
    return Outcome(**now)
