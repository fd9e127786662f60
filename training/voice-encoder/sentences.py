"""Training sentences, generated from small grammars, so that no corpus is needed."""

import random

PLACES = "harbor,village,kitchen,museum,station,orchard,theater,garage,library,valley,market,chapel,office,forest,bridge,island,studio,courtyard,bakery,lighthouse".split(",")
PEOPLE = "captain,teacher,neighbor,young doctor,old farmer,painter,judge,baker,nurse,pilot,musician,stranger,mayor,gardener,driver,cousin,engineer,reporter,lawyer,child".split(",")
THINGS = "letter,basket,violin,yellow umbrella,broken clock,pair of shoes,map,silver cup,heavy box,photograph,bicycle,newspaper,bottle of juice,blanket,wooden chair,lamp,jar of honey,ticket,rope,piece of cheese".split(",")
ACTIONS = "carried,found,borrowed,noticed,repaired,described,forgot,watched,sold,painted,dropped,hid,measured,chose,brought,examined,returned,lost,threw away,polished".split(",")
TIMES = "this morning,after the storm,before breakfast,late in the evening,during the winter,on a quiet Sunday,at the end of the month,without any warning,for the third time,just before sunrise,in the middle of the night,when the bell rang".split(",")
ADJECTIVES = "narrow,cheerful,dusty,enormous,gentle,rough,purple,unusual,fresh,silent,vague,joyful,shallow,thick,bright,modern".split(",")
OPENINGS = "I think,We know,They said,She believed,Everyone hoped,He explained,You might find,It seems,Nobody doubted,My sister says".split(",")
REASONS = "the weather was changing,there was nothing else to do,the road had been closed,it cost too much,we had been waiting for hours,the water was still cold,his voice was too quiet,they measured it twice,you asked for it,the light went out".split(",")
VERBS = "hurry,listen,leave,stay,argue,breathe,choose,jump,whisper,join us,turn around,begin again".split(",")

PATTERNS = [
    "The {person} {action} the {thing} near the {place} {time}.",
    "{opening} the {person} {action} a {adjective} {thing}, because {reason}.",
    "Why would the {person} want a {adjective} {thing} from the {place}?",
    "{time_}, the {person} walked to the {place} and {action} the {thing}.",
    "Please {verb} before the {person} comes back to the {place}.",
    "If {reason}, we should {verb} and meet the {person} at the {place}.",
    "There is a {adjective} {place} behind the {place2}, where the {person} keeps a {thing}.",
    "Could you {verb}, or would you rather wait for the {person}?",
    "{opening} that {reason}; the {place} looked {adjective} and {adjective2}.",
    "Neither the {person} nor the {person2} {action} the {thing} {time}.",
    "What a {adjective} {thing}! The {person} {action} it {time}.",
    "Between the {place} and the {place2}, a {adjective} road leads past the {thing} shop.",
]


def make_sentences(count: int, seed: int) -> list[str]:
    """`count` different sentences; equal seeds give equal sentences."""
    rng = random.Random(seed)
    sentences: dict[str, None] = {}
    while len(sentences) < count:
        person, person2 = rng.sample(PEOPLE, 2)
        place, place2 = rng.sample(PLACES, 2)
        adjective, adjective2 = rng.sample(ADJECTIVES, 2)
        time = rng.choice(TIMES)
        sentence = rng.choice(PATTERNS).format(
            person=person, person2=person2, place=place, place2=place2, adjective=adjective, adjective2=adjective2,
            thing=rng.choice(THINGS), action=rng.choice(ACTIONS), time=time, time_=time[0].upper() + time[1:],
            opening=rng.choice(OPENINGS), reason=rng.choice(REASONS), verb=rng.choice(VERBS),
        )
        sentences[sentence] = None
    return list(sentences)


if __name__ == "__main__":
    print("\n".join(make_sentences(600, seed=1)))
