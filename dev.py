"""Set-up and the project's own jobs, on a machine that has Python and pip: ``python3 dev.py demo`` or ``python3 dev.py test``.

Everything is installed into ``.venv`` beside this file, from the locked versions in ``requirements-dev.txt``; the context server
that the tests in ``tests/peers`` talk to has an environment of its own, ``.venv-peers``, from ``requirements-peers.txt``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
LOCK = ROOT / "requirements-dev.txt"
TOOLS = {
    "axe-core@4.14.1": "package/axe.min.js",
    "@microsoft/jest-sarif@1.0.0-beta.0": "package/lib/schemas/sarif-2.1.0-rtm.5.json",
}
"""npm packages and the one file that is taken out of each."""
PEERS = ROOT / ".venv-peers"
PEERS_LOCK = ROOT / "requirements-peers.txt"
SAMPLE = "sample_data/context_server/entries.jsonl"


def python() -> Path:
    """The interpreter of the project's environment."""
    return ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def set_up() -> None:
    """Make the environment, once for each state of the lock file and of the project's metadata."""
    wanted = hashlib.sha256(LOCK.read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    mark = ENVIRONMENT / "installed"
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted and python().is_file():
        return
    print("setting up .venv", flush=True)
    venv.create(ENVIRONMENT, with_pip=True, clear=True)
    pip = [str(python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", str(LOCK)], cwd=ROOT, check=True)
    subprocess.run([*pip, "--no-deps", "--editable", str(ROOT)], cwd=ROOT, check=True)
    mark.write_text(wanted, encoding="utf-8")


def set_up_peers() -> None:
    """Make the environment of the context server, once for each state of its lock file; it needs a Python of 3.12 or newer."""
    wanted = hashlib.sha256(PEERS_LOCK.read_bytes()).hexdigest()
    mark = PEERS / "installed"
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return
    newer = newer_python()
    if newer is None:
        print("no Python 3.12 or newer was found: the tests in tests/peers cannot run", flush=True)
        return
    print("setting up .venv-peers", flush=True)
    subprocess.run([newer, "-m", "venv", "--clear", str(PEERS)], check=True)
    inside = PEERS / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--requirement", str(PEERS_LOCK)], check=True)
    mark.write_text(wanted, encoding="utf-8")


def newer_python() -> str | None:
    """A Python of 3.12 or newer: this one, one on the path, or one that pyenv keeps."""
    kept = sorted(Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python"))
    for name in (sys.executable, "python3.12", "python3.13", "python3.14", *map(str, kept)):
        found = shutil.which(name)
        test = "import sys; sys.exit(sys.version_info < (3, 12))"
        if found and subprocess.run([found, "-c", test], check=False, capture_output=True).returncode == 0:
            return found
    return None


def run(*arguments: str, allowed: tuple[int, ...] = (0,)) -> int:
    """Run a module of the environment; leave with its code where it is none of the allowed ones."""
    code = subprocess.run([str(python()), "-m", *arguments], cwd=ROOT, check=False).returncode
    if code not in allowed:
        sys.exit(code)
    return code


def demo() -> None:
    """Check, plan and repair the sample corpus; ends with the report's place."""
    repaired = ROOT / "reports/demo/entries.repaired.jsonl"
    repaired.parent.mkdir(parents=True, exist_ok=True)
    repaired.unlink(missing_ok=True)
    run("migrate", "check", SAMPLE, allowed=(0, 1))
    run("migrate", "plan", SAMPLE, "-o", "reports/demo/plan.jsonl")
    run("migrate", "apply", "reports/demo/plan.jsonl", "-o", "reports/demo/entries.repaired.jsonl")
    reports = sorted(
        (ROOT / "reports").glob("entries.jsonl-*/plans/*/report.html"), key=lambda path: path.stat().st_mtime
    )
    print(f"\nthe report: {reports[-1].relative_to(ROOT)}\nthe repaired corpus: {repaired.relative_to(ROOT)}")
    command = python().with_name("corpus-migrate").relative_to(ROOT)
    print(f"the command: it lies in .venv, so type {command} where the lines above say corpus-migrate")


def tools() -> None:
    """What tests read that is no Python package: axe-core and the published SARIF schema, from the npm registry."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is not there; on Debian: apt-get install npm")
    for name, member in TOOLS.items():
        target = ROOT / ".cache" / Path(member).name
        if target.is_file():
            continue
        target.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([npm, "pack", "--silent", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            (archive,) = Path(folder).glob("*.tgz")
            with tarfile.open(archive) as file, file.extractfile(member) as source:  # type: ignore[union-attr]
                target.write_bytes(source.read())
        print(target.relative_to(ROOT))


def lint() -> None:
    """Lint, format and types."""
    run("ruff", "check", ".")
    run("ruff", "format", "--check", ".")
    run("mypy")


def test(*arguments: str) -> None:
    """The test suite on every core; ``-m slow`` runs the slow tests."""
    run("pytest", "-n", "auto", *arguments)


def main() -> None:
    """Do the job that is named."""
    jobs = {"demo": demo, "lint": lint, "test": test, "tools": tools}
    name, *rest = sys.argv[1:] or [""]
    if name not in jobs or (rest and name != "test"):
        sys.exit(f"usage: python3 dev.py {{{'|'.join(jobs)}}} [pytest arguments]")
    if name != "tools":
        set_up()
    if name == "test":
        set_up_peers()
    jobs[name](*rest)


if __name__ == "__main__":
    main()
