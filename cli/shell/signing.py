"""Signed seals: who vouches for a log up to a turn. Keys and signatures are OpenSSH's (`ssh-keygen -Y`)."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from cli.store.joining import signatures_that_hold
from cli.store.layout import MAIN
from cli.store.streams import Signature, StoredLog
from domain.log.hash_chain import Seal, seal_from, sealed
from domain.log.verifying import Finding
from domain.naming import ended
from domain.refusal import Invalid

#: What a signature is made for: one for anything else does not count.
NAMESPACE = "campaign-log"
MISSING = "Signed seals take ssh-keygen, which is not installed here; it comes with OpenSSH."


def _ssh_keygen(*arguments: str, given: str) -> subprocess.CompletedProcess[str]:
    """Run it on a text. It asks for a passphrase on the terminal itself. Raises Invalid where it is not installed."""
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", *arguments], input=given, capture_output=True, text=True, errors="replace", check=False
        )
    except FileNotFoundError:
        raise Invalid(MISSING) from None
    except OSError as error:
        raise Invalid(f"ssh-keygen cannot be run: {(error.strerror or str(error)).lower()}.") from None


def must_be_a_key(key: Path) -> None:
    """Raise Invalid unless there is such a file, before anything is done that is to be signed."""
    if not key.expanduser().is_file():
        raise Invalid(f"There is no key {key}; ssh-keygen -t ed25519 -f {key} makes one.")


def line_of(seal: Seal) -> str:
    """The text that is signed: the seal as it is printed, with the end of its line."""
    return f"{seal}\n"


def signed(seal: Seal, key: Path) -> str:
    """The signature of a seal with this key, in OpenSSH's armour. Raises Invalid."""
    must_be_a_key(key)
    done = _ssh_keygen("sign", "-f", str(key.expanduser()), "-n", NAMESPACE, given=line_of(seal))
    if done.returncode or "BEGIN SSH SIGNATURE" not in done.stdout:
        said = " ".join(done.stderr.split()) or "it does not say why"
        raise Invalid(ended(f"ssh-keygen did not sign with {key}: {said[:200]}"))
    return done.stdout


class Signed(Struct, frozen=True):
    """A signature that is kept of a campaign, and what became of it when it was checked."""

    branch: str
    turn: int
    seal: str
    #: Who signed, as the file of allowed signers names them; None: nobody in it.
    signer: str | None
    #: Whether the signature is one of this seal at all.
    fits: bool


def checked(log: StoredLog, signers: Path) -> list[Signed]:
    """Every signature that is kept of a campaign, held against a file of allowed signers. Raises Invalid."""
    signers = signers.expanduser()
    if not signers.is_file():
        raise Invalid(f"There is no file {signers}; it holds a line for each signer: NAME KEY, as git's does.")
    return [_checked(log, each, signers) for each in log.signatures()]


def _checked(log: StoredLog, signature: Signature, signers: Path) -> Signed:
    branch = next((each.name for each in log.branches(deleted=True) if each.stream == signature.stream), MAIN)
    with _armour_of(signature) as armour:
        found = _ssh_keygen("find-principals", "-s", armour, "-f", str(signers), given="").stdout.splitlines()
        of_seal = ("-n", NAMESPACE, "-s", armour)
        for name in found:
            verified = _ssh_keygen("verify", "-f", str(signers), "-I", name, *of_seal, given=f"{signature.seal}\n")
            if not verified.returncode:
                return Signed(branch, signature.turn, signature.seal, name, True)
    return Signed(branch, signature.turn, signature.seal, None, _is_of_its_seal(signature))


@contextmanager
def _armour_of(signature: Signature) -> Iterator[str]:
    """The name of a file with OpenSSH's armour of it."""
    with TemporaryDirectory() as folder:
        armour = Path(folder, "signature")
        armour.write_text(signature.armour, "utf-8")
        yield str(armour)


def _is_of_its_seal(signature: Signature) -> bool:
    with _armour_of(signature) as armour:
        checked = _ssh_keygen("check-novalidate", "-n", NAMESPACE, "-s", armour, given=f"{signature.seal}\n")
    return not checked.returncode


def take_over(log: StoredLog, other: StoredLog) -> tuple[int, int]:
    """Keep those signatures of another copy that are of turns as they are here.

    Returns how many, and how many more there are that cannot be checked for want of ssh-keygen. Raises NotSaved,
    MaybeSaved.
    """
    new = signatures_that_hold(log, other)
    if shutil.which("ssh-keygen") is None:
        return 0, len(new)
    good = [each for each in new if _is_of_its_seal(each)]
    for each in good:
        log.keep_signature(each)
    return len(good), 0


def findings_of(log: StoredLog, signatures: Sequence[Signed]) -> list[Finding]:
    """What to say of signatures: up to where each signer has signed, what came after, and what is wrong.

    `signatures` are all that the campaign keeps, checked.
    """
    found: list[Finding] = []
    on = {each.stream: f" on {each.name}, which was deleted" for each in log.branches(deleted=True)}
    on |= {each.stream: f" on {each.name}" for each in log.branches()}
    last: dict[tuple[str, str], Signed] = {}
    for stream, each in zip([kept.stream for kept in log.signatures()], signatures, strict=True):
        which = f"T{each.turn}{on.get(stream, '')}"
        if not each.fits:
            found.append(Finding(f"The signature kept of {which} is not one of its seal.", each.turn))
        elif each.signer is None:
            sentence = f"{which} was signed with a key that is not among the signers."
            found.append(Finding(sentence, each.turn, "note"))
        elif (known := last.get((each.signer, stream))) is None or known.turn < each.turn:
            last[each.signer, stream] = each
    for (signer, stream), each in sorted(last.items()):
        sentence = f"{signer} has signed up to T{each.turn}{on.get(stream, '')} ({each.seal})."
        found.append(Finding(sentence, each.turn, "note"))
    end = log.last()
    # of another branch a signature says nothing about this one, not even up to where they parted
    upto = max((each.turn for (_, stream), each in last.items() if log.stream_at(each.turn) == stream), default=0)
    if upto < end:
        first = upto + 1
        which = f"T{first}" if first == end else f"T{first} to T{end}"
        after = "came after the last signature" if upto else "are signed by nobody"
        after = "is signed by nobody" if not upto and first == end else after
        found.append(Finding(f"{which} {after}.", first, "note"))
    return found


def wrong_seals(log: StoredLog) -> list[Finding]:
    """The signatures whose turn has another seal by now. This takes no key and no ssh-keygen."""
    found = []
    for each in log.signatures():
        link = log.link_in(each.stream, each.turn)
        now = None if link is None else sealed(each.turn, link)
        if str(now) != each.seal and not _holds(log, each):
            is_now = "is gone" if now is None else f"has the seal {now} now"
            found.append(Finding(f"T{each.turn}, which was signed as {each.seal}, {is_now}.", each.turn))
    return found


def _holds(log: StoredLog, signature: Signature) -> bool:
    try:
        seal = seal_from(signature.seal)
    except Invalid:
        return False
    return seal.turn == signature.turn and str(seal) == signature.seal and log.holds(seal, signature.stream)


def sign_and_keep(log: StoredLog, turn: int, key: Path) -> None:
    """Sign the seal of a turn and keep the signature in the campaign. Raises Invalid, NotSaved, MaybeSaved."""
    seal = sealed(turn, log.link(turn))
    log.keep_signature(Signature(log.stream_at(turn), turn, str(seal), signed(seal, key)))
