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
from cli.store.stored_log import Signature, StoredLog
from domain.log.finding import Finding
from domain.log.hash_chain import Seal, seal_from, seal_of
from domain.naming import ended
from domain.refusal import Invalid

#: The namespace of the signatures; those for other purposes do not verify.
NAMESPACE = "campaign-log"
MISSING = "Signed seals need ssh-keygen, which is not installed here; it comes with OpenSSH."


def _ssh_keygen(*arguments: str, text: str) -> subprocess.CompletedProcess[str]:
    """Run ssh-keygen with a text as input; it asks for a passphrase itself. Raises Invalid if it cannot be run."""
    try:
        # in bytes: as text, Windows would end its line in another way, and something else would be signed
        process = subprocess.run(
            ["ssh-keygen", "-Y", *arguments], input=text.encode(), capture_output=True, check=False
        )
    except FileNotFoundError:
        raise Invalid(MISSING) from None
    except OSError as error:
        raise Invalid(f"ssh-keygen cannot be run: {(error.strerror or str(error)).lower()}.") from None
    out, err = (stream.decode(errors="replace").replace("\r\n", "\n") for stream in (process.stdout, process.stderr))
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def must_be_a_key(key: Path) -> None:
    """Raise Invalid unless the key file exists; checked before anything is recorded."""
    if not key.expanduser().is_file():
        raise Invalid(f"There is no key {key}; ssh-keygen -t ed25519 -f {key} makes one.")


def line_of(seal: Seal) -> str:
    """The text that is signed: the seal as it is printed, and a line end."""
    return f"{seal}\n"


def sign_seal(seal: Seal, key: Path) -> str:
    """Sign a seal with a key and return OpenSSH's armoured signature. Raises Invalid."""
    must_be_a_key(key)
    result = _ssh_keygen("sign", "-f", str(key.expanduser()), "-n", NAMESPACE, text=line_of(seal))
    if result.returncode or "BEGIN SSH SIGNATURE" not in result.stdout:
        reason = " ".join(result.stderr.split()) or "it does not say why"
        raise Invalid(ended(f"ssh-keygen did not sign with {key}: {reason[:200]}"))
    return result.stdout


class CheckedSignature(Struct, frozen=True):
    """The result of checking one stored signature."""

    branch: str
    turn: int
    seal: str
    #: The signer's name in the file of allowed signers; None if the key is not in it.
    signer: str | None
    #: Whether the signature is valid for this seal.
    fits: bool


def check_signatures(log: StoredLog, signers: Path) -> list[CheckedSignature]:
    """Check every stored signature against a file of allowed signers. Raises Invalid."""
    signers = signers.expanduser()
    if not signers.is_file():
        raise Invalid(f"There is no file {signers}; it should hold a line for every signer: NAME KEY, as git's does.")
    return [_check_signature(log, signature, signers) for signature in log.signatures()]


def _check_signature(log: StoredLog, signature: Signature, signers: Path) -> CheckedSignature:
    branch = next((branch_.name for branch_ in log.branches(deleted=True) if branch_.stream == signature.stream), MAIN)
    with _armour_of(signature) as armour:
        names = _ssh_keygen("find-principals", "-s", armour, "-f", str(signers), text="").stdout.splitlines()
        of_seal = ("-n", NAMESPACE, "-s", armour)
        for name in names:
            result = _ssh_keygen("verify", "-f", str(signers), "-I", name, *of_seal, text=f"{signature.seal}\n")
            if not result.returncode:
                return CheckedSignature(branch, signature.turn, signature.seal, name, True)
    return CheckedSignature(branch, signature.turn, signature.seal, None, _is_of_its_seal(signature))


@contextmanager
def _armour_of(signature: Signature) -> Iterator[str]:
    """Yield the path of a temporary file with the armoured signature."""
    with TemporaryDirectory() as folder:
        armour = Path(folder, "signature")
        armour.write_text(signature.armour, "utf-8")
        yield str(armour)


def _is_of_its_seal(signature: Signature) -> bool:
    with _armour_of(signature) as armour:
        result = _ssh_keygen("check-novalidate", "-n", NAMESPACE, "-s", armour, text=f"{signature.seal}\n")
    return not result.returncode


def take_over(log: StoredLog, other: StoredLog) -> tuple[int, int]:
    """Store the valid signatures of another copy that are of turns which are the same here.

    Returns how many were stored, and how many could not be checked without ssh-keygen. Raises NotSaved, MaybeSaved.
    """
    new = signatures_that_hold(log, other)
    if shutil.which("ssh-keygen") is None:
        return 0, len(new)
    good = [signature for signature in new if _is_of_its_seal(signature)]
    for signature in good:
        log.keep_signature(signature)
    return len(good), 0


def findings_of(log: StoredLog, signatures: Sequence[CheckedSignature]) -> list[Finding]:
    """What to say of signatures: up to where each signer has signed, what came after, and what is wrong.

    `signatures` are all that the campaign keeps, checked.
    """
    findings: list[Finding] = []
    on = {signature.stream: f" on {signature.name}, which was deleted" for signature in log.branches(deleted=True)}
    on |= {signature.stream: f" on {signature.name}" for signature in log.branches()}
    last: dict[tuple[str, str], CheckedSignature] = {}
    for stream, signature in zip([entry.stream for entry in log.signatures()], signatures, strict=True):
        which = f"T{signature.turn}{on.get(stream, '')}"
        if not signature.fits:
            findings.append(Finding(f"The signature that is kept for {which} does not sign its seal.", signature.turn))
        elif signature.signer is None:
            sentence = f"{which} was signed with a key that is not among the signers."
            findings.append(Finding(sentence, signature.turn, "note"))
        elif (latest := last.get((signature.signer, stream))) is None or latest.turn < signature.turn:
            last[signature.signer, stream] = signature
    for (signer, stream), signature in sorted(last.items()):
        sentence = f"{signer} has signed up to T{signature.turn}{on.get(stream, '')} ({signature.seal})."
        findings.append(Finding(sentence, signature.turn, "note"))
    end = log.last()
    # a signature on another branch says nothing about this one, not even up to the fork
    upto = max(
        (signature.turn for (_, stream), signature in last.items() if log.stream_at(signature.turn) == stream),
        default=0,
    )
    if upto < end:
        first = upto + 1
        which = f"T{first}" if first == end else f"T{first} to T{end}"
        after = "came after the last signature" if upto else "are signed by nobody"
        after = "is signed by nobody" if not upto and first == end else after
        findings.append(Finding(f"{which} {after}.", first, "note"))
    return findings


def wrong_seals(log: StoredLog) -> list[Finding]:
    """A finding for each signature whose turn has another seal now; needs neither keys nor ssh-keygen."""
    findings = []
    for signature in log.signatures():
        link = log.link_in(signature.stream, signature.turn)
        now = None if link is None else seal_of(signature.turn, link)
        if str(now) != signature.seal and not _holds(log, signature):
            is_now = "is gone" if now is None else f"has the seal {now} now"
            findings.append(
                Finding(f"T{signature.turn}, which was signed as {signature.seal}, {is_now}.", signature.turn)
            )
    return findings


def _holds(log: StoredLog, signature: Signature) -> bool:
    try:
        seal = seal_from(signature.seal)
    except Invalid:
        return False
    return seal.turn == signature.turn and str(seal) == signature.seal and log.holds(seal, signature.stream)


def sign_and_keep(log: StoredLog, turn: int, key: Path) -> None:
    """Sign the seal of a turn and store the signature in the campaign. Raises Invalid, NotSaved, MaybeSaved."""
    seal = seal_of(turn, log.link(turn))
    log.keep_signature(Signature(log.stream_at(turn), turn, str(seal), sign_seal(seal, key)))
