"""Why bubblewrap fails on this machine or in this container, and what allows it."""

import ctypes
import errno
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import SandboxError

DOCKER_OPTIONS = "--security-opt seccomp=unconfined --security-opt apparmor=unconfined"
KUBERNETES_OPTIONS = (
    "securityContext: {seccompProfile: {type: Unconfined}, appArmorProfile: {type: Unconfined}}"
)
_IN_CONTAINERS = (f"docker run {DOCKER_OPTIONS} …", f"in Kubernetes, {KUBERNETES_OPTIONS}")
# Settings of the kernel that forbid user namespaces: the value that does, and one that does not.
_SYSCTLS = {
    "user.max_user_namespaces": ("0", "15000"),
    "kernel.unprivileged_userns_clone": ("0", "1"),
}
_APPARMOR_SYSCTL = "kernel.apparmor_restrict_unprivileged_userns"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about a failure of bubblewrap.

    Attributes:
        error: What it printed.
        is_unshare_filtered: Whether a seccomp filter forbids the system call that creates
            namespaces.
        apparmor: The AppArmor profile of this process; "" if it has none.
        sysctls: Settings of the kernel, as far as they exist.
    """

    error: str
    is_unshare_filtered: bool = False
    apparmor: str = ""
    sysctls: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Confinement:
    """What forbids the namespaces that bubblewrap needs.

    Attributes:
        reason: The reason, as the subject and verb of a sentence.
        remedies: Commands and options of which one allows them.
    """

    reason: str
    remedies: tuple[str, ...]


class ConfinementError(SandboxError):
    """Bubblewrap cannot be used here.

    Attributes:
        reason: Why, with the error of bubblewrap.
        remedies: Commands and options of which one helps.
    """

    def __init__(self, reason: str, remedies: tuple[str, ...]) -> None:
        self.reason = reason
        self.remedies = remedies
        advice = remedies[0] if len(remedies) == 1 else "`worldline sandbox check` says what helps"
        super().__init__(
            f"the full sandbox is not available: {reason}: {advice}; or "
            "`worldline --sandbox container …` executes programs without namespaces"
        )


def confinement_error(error: str) -> ConfinementError:
    """The error of a start that failed in bubblewrap.

    Args:
        error: What bubblewrap, or drop_root.py before it, has printed.
    """
    # Without the addresses of documentation that Debian's version adds.
    text = " ".join(error.split()).partition(" See <")[0]
    confinement = explain(_read_facts(text))
    return ConfinementError(f"{confinement.reason} ({text})", confinement.remedies)


def explain(facts: Facts) -> Confinement:
    """Find the reason of a failure."""
    sysctls = dict(facts.sysctls)
    for name, (forbidden, allowed) in _SYSCTLS.items():
        if sysctls.get(name) == forbidden:
            return Confinement(
                f"the kernel's setting {name} forbids user namespaces",
                (f"on the host, sysctl -w {name}={allowed}",),
            )
    if facts.is_unshare_filtered:
        return Confinement(
            "a seccomp filter forbids namespaces, as Docker's default profile does", _IN_CONTAINERS
        )
    if "Failed to mount tmpfs: No such file" in facts.error:
        return Confinement(
            "bubblewrap needs a folder /tmp, which may be read-only",
            ("docker run --tmpfs /tmp …", "in Kubernetes, mount an emptyDir volume at /tmp"),
        )
    if "cannot create a mount namespace" in facts.error:
        return Confinement(
            "files of the interpreter are in a folder that only root can enter, and this container "
            "forbids to mount them elsewhere",
            ("chmod o+x on the folders of the interpreter (/root, for example)",),
        )
    if facts.apparmor not in ("", "unconfined"):
        return Confinement(
            f"the AppArmor profile {facts.apparmor} forbids namespaces or mounts", _IN_CONTAINERS
        )
    if sysctls.get(_APPARMOR_SYSCTL) == "1":
        return Confinement(
            "AppArmor forbids user namespaces",
            (f"on the host, sysctl -w {_APPARMOR_SYSCTL}=0",),
        )
    return Confinement("bubblewrap failed", ())


def _read_facts(error: str) -> Facts:
    names = (*_SYSCTLS, _APPARMOR_SYSCTL)
    values = ((name, _read(f"/proc/sys/{name.replace('.', '/')}")) for name in names)
    return Facts(
        error,
        is_unshare_filtered=_is_unshare_filtered(),
        apparmor=_read("/proc/self/attr/apparmor/current").partition(" (")[0],
        sysctls=tuple((name, value) for name, value in values if value),
    )


def _read(path: str) -> str:
    """The content of a file of the kernel; "" if there is none."""
    try:
        return Path(path).read_text().strip("\0\n ")
    except (OSError, UnicodeDecodeError):
        return ""


def _is_unshare_filtered() -> bool:
    """Whether a seccomp filter forbids `unshare`.

    Without flags the call does nothing, and every process may make it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.unshare(0) != 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS)
