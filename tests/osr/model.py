"""osr once more, from the contract of its rules and as plainly as that: the program is held against it.

Nothing here is taken from `domain/osr`. What a turn comes to is worked out on dictionaries; what is refused is the set
of the paragraphs that forbid it (`None`: it is not a matter of the rules), since a turn may break several at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

Line = Mapping[str, Any]
Person = dict[str, Any]

#: The paragraphs that forbid a turn; empty: it is legal.
Reasons = set[str | None]
#: Forbidden, and the contract names no paragraph for it.
BY_ANY: Reasons = {f"OSR 6.{number}" for number in range(1, 13)} | {None}
NEW: Person = {
    "fatigue": 0,
    "marks": 0,
    "condition": "up",
    "injury": None,
    "wounds": [],
    "ability_loss": {},
    "recovery_marks": 0,
    "rolls": 0,
    "worsening": None,
    "away": False,
}


class Malformed(Exception):
    """The request itself is wrong, whatever the state."""


class Model:
    """The campaign: sheets, options, and what undo goes back to."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.people: dict[str, Person] = {}
        self.options: dict[str, Any] = {
            "keep_higher": False,
            "short_rest_together": False,
            "zero_is_injury": False,
            "save_meets_dc": True,
            "minor_injuries": "referee",
            **options,
        }
        self._before: list[tuple[dict[str, Person], dict[str, Any]]] = []
        #: The wound ids given out, by name: none is used again, whatever is undone.
        self._wounds: dict[str, int] = {}

    def after(self, line: Line) -> Reasons:
        """Do it, unless it is forbidden: then nothing changes, and the reasons are returned. Raises Malformed."""
        if line["type"] == "undo":
            if not self._before:
                return {None}
            self.people, self.options = self._before.pop()
            return set()
        before, wounds = deepcopy((self.people, self.options)), dict(self._wounds)
        reasons: Reasons = getattr(self, f"_{line['type'].removeprefix('osr.')}")(line)
        if reasons:
            (self.people, self.options), self._wounds = before, wounds
        else:
            self._before.append(before)
        return reasons

    # -- who may do anything at all ------------------------------------------------------------------------

    def _missing(self, names: Iterable[str]) -> bool:
        return any(name not in self.people for name in names)

    def _busy(self, *names: str) -> Reasons:
        """The dead do nothing, and an open injury comes before everything else (6.6)."""
        reasons: Reasons = set()
        for name in names:
            person = self.people[name]
            if person["condition"] == "dead":
                reasons |= BY_ANY
            if person["injury"] is not None:
                reasons.add("OSR 6.6")
        return reasons

    # -- joining, levels, options ---------------------------------------------------------------------------

    def _enrol(self, line: Line) -> Reasons:
        if line.get("saves") and line.get("side") != "foe":
            raise Malformed
        name, level = line["character"], line.get("level", 1)
        if name in self.people:
            return {None}
        hit_dice = line.get("hit_dice") or level
        if not dice(line["rolled"], hit_dice):
            return {"OSR 6.1"}
        self.people[name] = {
            **deepcopy(NEW),
            "level": level,
            "hit_dice": hit_dice,
            "hp": sum(line["rolled"]),
            "side": line.get("side"),
            "saves": line.get("saves", False),
            "player's": line.get("hit_dice") is None and line.get("side") is None,
        }
        return set()

    def _level_up(self, line: Line) -> Reasons:
        name = line["character"]
        if self._missing([name]):
            return {None}
        reasons, person = self._busy(name), self.people[name]
        person["level"] += 1
        person["hit_dice"] += 1
        return reasons

    def _ruling(self, line: Line) -> Reasons:
        self.options.update(line["set"])
        return set()

    def _override(self, line: Line) -> Reasons:
        if self._missing([line["character"]]):
            return {None}
        person = self.people[line["character"]]
        person.update(line["set"])
        return set() if person["hp"] <= 6 * person["hit_dice"] else {"OSR 6.1"}

    def _absence(self, line: Line) -> Reasons:
        name, here = line["character"], line.get("here", False)
        if self._missing([name]):
            return {None}
        reasons, person = self._busy(name), self.people[name]
        if person["away"] != here:
            reasons |= BY_ANY
        person["away"] = not here
        return reasons

    # -- 6.4, 6.5: rests -------------------------------------------------------------------------------------

    def _short_rest(self, line: Line) -> Reasons:
        named, exempt, keep = line["characters"], line.get("exempt") or (), line.get("keep") or ()
        rolled = line["rolled"]
        if not named or any(len(set(names)) < len(names) for names in (named, exempt, keep, line.get("rerolls") or ())):
            raise Malformed
        if self._missing([*named, *exempt, *keep, *(line.get("rerolls") or ()), *rolled]):
            return {None}
        together, resting = self.options["short_rest_together"], list(named)
        if together:
            resting += [
                name
                for name, person in self.people.items()
                if name not in named and person["condition"] != "dead" and not person["away"] and not person["side"]
            ]
        reasons = self._busy(*resting, *exempt)
        rerolling = [name for name in resting if name not in exempt]
        if line.get("rerolls") is not None:
            if together and set(rerolling) - set(line["rerolls"]):
                reasons.add("OSR 6.4")
            if set(line["rerolls"]) - set(rerolling):
                reasons.add("OSR 6.4")
            rerolling = [name for name in resting if name in line["rerolls"]]
        players = [name for name in resting if self.people[name]["player's"]]
        if (
            (exempt and not together)
            or not line.get("safe", True)
            or (players and line.get("minutes", 10) < 10)
            or (keep and not self.options["keep_higher"])
            or set(keep) - set(rerolling)
        ):
            reasons.add("OSR 6.4")
        if set(rolled) - set(rerolling):
            reasons.add("OSR 6.1")
        for name in resting:
            person = self.people[name]
            person["rolls"] = person["recovery_marks"]
            if name not in rerolling or name not in rolled:
                continue
            fatigue = person["fatigue"]
            if len(rolled[name]) != person["hit_dice"] + fatigue:
                reasons.add("OSR 6.5" if fatigue else "OSR 6.1")
            elif not dice(rolled[name], len(rolled[name])):
                reasons.add("OSR 6.1")
            elif name not in keep:
                person["hp"] = sum(sorted(rolled[name])[: person["hit_dice"]])
            person["fatigue"] = fatigue + 1
        return reasons

    def _night_rest(self, line: Line) -> Reasons:
        named, rolled = line["characters"], line["rolled"]
        if not named or len(set(named)) < len(named):
            raise Malformed
        if self._missing([*named, *rolled]):
            return {None}
        reasons = self._busy(*named)
        if set(rolled) - set(named):
            reasons.add("OSR 6.1")
        for name in named:
            person, faces = self.people[name], rolled.get(name, ())
            if not faces:
                reasons.add("OSR 6.5")
            elif not dice(faces, person["hit_dice"]):
                reasons.add("OSR 6.1")
            person["hp"], person["fatigue"], person["rolls"] = sum(faces), 0, person["recovery_marks"]
            person["wounds"] = [wound for wound in person["wounds"] if self._lasts_the_night(wound)]
        return reasons

    def _lasts_the_night(self, wound: Line) -> bool:
        return wound["until"] not in LONG_REST

    # -- 6.6, 6.12: harm --------------------------------------------------------------------------------------

    def _damage(self, line: Line) -> Reasons:
        name, amount = line["character"], line["amount"]
        if self._missing([name]):
            return {None}
        reasons, person = self._busy(name), self.people[name]
        hp = person["hp"]
        person["hp"] = max(0, hp - amount)
        if person["side"] == "foe" and not person["saves"]:
            person["condition"] = person["condition"] if person["hp"] else "dead"
        elif amount > hp or (self.options["zero_is_injury"] and amount == hp > 0):
            dc = line.get("dc")
            self._injure(person, 20 + amount - hp if dc is None else dc, line.get("source"))
        return reasons

    def _bypassing_hit(self, line: Line) -> Reasons:
        name, dc, cost = line["character"], line.get("dc"), line.get("cost")
        if cost is None and line.get("attacker_level") is not None:
            cost = 10 * line["attacker_level"]
        if (cost is None and line.get("sacrifice")) or (dc is None and not line.get("sacrifice")):
            raise Malformed
        if self._missing([name]):
            return {None}
        reasons, person = self._busy(name), self.people[name]
        if line.get("sacrifice"):
            if person["hp"] < cost:
                reasons.add("OSR 6.12")
            person["hp"] -= cost
            if not person["hp"] and person["side"] == "foe" and not person["saves"]:
                person["condition"] = "dead"
        else:
            self._injure(person, line["dc"], line.get("source"))
        return reasons

    def _injure(self, person: Person, dc: int, source: str | None, worsening: Any = None) -> None:
        person["injury"] = {"dc": dc, "source": source, "stage": "saves"}
        person["worsening"] = worsening

    # -- 6.6 to 6.8: the saves, 6.10 and 6.11: fate ---------------------------------------------------------------

    def _injury_saves(self, line: Line) -> Reasons:
        name, will = line["character"], line.get("will")
        if self._missing([name]):
            return {None}
        person = self.people[name]
        if person["condition"] == "dead" or person["injury"] is None:
            return BY_ANY
        reasons: Reasons = set()
        if person["injury"]["stage"] == "fate" or (will is None and not line.get("fail_will")):
            reasons.add("OSR 6.6")
        marks_option = self.options["minor_injuries"] == "recovery_marks"
        if line.get("stat_loss") and not marks_option:
            reasons.add("OSR 6.9")
        dc = person["injury"]["dc"]
        if self._passes(line["strength"], dc):
            person["injury"] = None
            what, effect = line.get("wound"), line.get("effect")
            if what is None:
                worse = person["worsening"] or {"what": "shallow cut", "effect": "-2 to heavy physical tasks"}
                what, effect = worse["what"], effect or worse["effect"]
            self._wound(name, "minor", what, effect, line.get("until") or "long rest")
            if marks_option:
                self._lose(person, line["stat_loss"])
                person["recovery_marks"] += 1
        elif person["marks"] >= self._most_marks(person):
            person["condition"], person["injury"] = "dead", None
        else:
            person["injury"]["stage"] = "fate"
        if (line.get("fail_will") or not self._passes(will or 0, dc)) and person["condition"] == "up":
            person["condition"] = "collapsed"
        return reasons

    def _passes(self, total: int, dc: int) -> bool:
        return total > dc or (total == dc and bool(self.options["save_meets_dc"]))

    def _choose_fate(self, line: Line) -> Reasons:
        name, death = line["character"], line["fate"] == "death"
        if death and (line.get("wound") or line.get("effect") or line.get("ability_loss")):
            raise Malformed
        if self._missing([name]):
            return {None}
        person = self.people[name]
        if person["condition"] == "dead" or person["injury"] is None:
            return BY_ANY
        reasons: Reasons = {"OSR 6.6"} if person["injury"]["stage"] == "saves" else set()
        person["injury"] = None
        if death:
            person["condition"] = "dead"
            return reasons
        if person["marks"] >= self._most_marks(person):
            reasons.add("OSR 6.11")
        person["marks"] += 1
        what, effect, worse = line.get("wound"), line.get("effect"), person["worsening"]
        if what is None:
            what = worse["what"] if worse else "major wound"
            effect = effect or (worse["effect"] if worse else None)
        self._wound(name, "major", what, effect, None)
        self._lose(person, line.get("ability_loss") or {})
        return reasons

    def _most_marks(self, person: Person) -> int:
        return int(person["level"] if person["player's"] else person["hit_dice"])

    def _wound(self, name: str, severity: str, what: str, effect: str | None, until: str | None) -> None:
        self._wounds[name] = self._wounds.get(name, 0) + 1
        wound = {"id": self._wounds[name], "severity": severity, "what": what, "effect": effect, "until": until}
        self.people[name]["wounds"].append({**wound, "treated": False})

    def _lose(self, person: Person, loss: Mapping[str, int]) -> None:
        for ability, points in loss.items():
            person["ability_loss"][ability] = person["ability_loss"].get(ability, 0) + points

    # -- 6.8 to 6.10: afterwards ----------------------------------------------------------------------------------

    def _rally(self, line: Line) -> Reasons:
        name = line["character"]
        if self._missing([name]):
            return {None}
        reasons, person = self._busy(name), self.people[name]
        if person["condition"] != "collapsed":
            reasons |= BY_ANY
        person["condition"] = "up"
        return reasons

    def _of(self, line: Line) -> tuple[Reasons, dict[str, Any] | None]:
        """The wound that is meant: by its id, or the only one there is."""
        name, number = line["character"], line.get("wound")
        if self._missing([name]):
            return {None}, None
        reasons, wounds = self._busy(name), self.people[name]["wounds"]
        meant = [wound for wound in wounds if number in (None, wound["id"])]
        if len(meant) != 1:
            reasons.add(None)
        return reasons, meant[0] if meant else None

    def _treat(self, line: Line) -> Reasons:
        reasons, wound = self._of(line)
        if wound is not None:
            reasons |= BY_ANY if wound["treated"] else set()
            wound["treated"] = True
        return reasons

    def _worsen(self, line: Line) -> Reasons:
        reasons, wound = self._of(line)
        if wound is not None:
            reasons |= {"OSR 6.10"} if wound["treated"] else set()
            self._injure(self.people[line["character"]], line["dc"], wound["what"], dict(wound))
        return reasons

    def _recover_wound(self, line: Line) -> Reasons:
        reasons, wound = self._of(line)
        if wound is not None:
            self.people[line["character"]]["wounds"].remove(wound)
        return reasons

    def _die_of_wounds(self, line: Line) -> Reasons:
        name = line["character"]
        if self._missing([name]):
            return {None}
        reasons, person = self._busy(name), self.people[name]
        if not any(wound["severity"] == "major" for wound in person["wounds"]):
            reasons.add("OSR 6.10")
        person["condition"] = "dead"
        return reasons

    def _recovery_roll(self, line: Line) -> Reasons:
        name = line["character"]
        if self._missing([name]):
            return {None}
        reasons, person = self._busy(name), self.people[name]
        if self.options["minor_injuries"] != "recovery_marks" or not person["recovery_marks"] or not person["rolls"]:
            reasons.add("OSR 6.9")
        person["recovery_marks"] -= 1
        person["rolls"] -= 1
        return reasons


def dice(faces: Sequence[int], count: int) -> bool:
    """Whether these are so many dice of six sides."""
    return len(faces) == count and all(1 <= face <= 6 for face in faces)


#: How the generated lines write the next long rest.
LONG_REST = ("long rest", "the next long rest", "a good night's sleep")
#: The fields of a sheet that are compared.
FIELDS = (
    "level", "hit_dice", "hp", "fatigue", "marks", "condition", "injury", "wounds", "ability_loss", "recovery_marks",
)  # fmt: skip
