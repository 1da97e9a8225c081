"""English words of the sensitive classes. Left: always; right: in a sentence about the speaker or somebody close."""

from __future__ import annotations

from ..domain.claim import Sensitivity as S
from .lexicon import Lexicon

_KIN = (
    r"wife|husband|partner|boyfriend|girlfriend|fianc[ée]e?|mother|father|mom|mum|dad|parents?|brother|sister|son|daughter"
    r"|kids?|child|children|baby|grandmother|grandfather|grandma|grandpa|aunt|uncle|cousin|family|friend|colleague|boss"
)
_PERSON = rf"\b(?:I|I['’]?m|I['’]ve|I['’]d|me|my|mine|myself|we|us|our|he|she|his|her|they|their|{_KIN})\b"
_SMALL_AGE = r"(?:1[0-7]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen)"
_YOUNG = r"(?:son|daughter|kid|child|boy|girl|niece|nephew|grandson|granddaughter|toddler|stepson|stepdaughter)s?"
_MONEY = r"(?:[$€£¥]\s?\d[\d,.]*(?:\s?(?:k|m|million|thousand))?|\d[\d,.]*\s?(?:k|dollars|euros|pounds|francs|yuan|kroner|USD|EUR|GBP|CNY|NOK))"

LEXICON = Lexicon(
    _PERSON,
    {
        S.HEALTH: (
            r"""
            diagnosed with [\w -]{3,30}
            (?:type [12] )?diabet(?:es|ic)
            (?:breast |lung |prostate |skin )?cancer
            asthma(?:tic)?
            HIV(?:[- ]positive)?
            epilep(?:sy|tic)
            migraines?
            ADHD|bipolar(?: disorder)?|schizophrenia|PTSD|autism|autistic
            (?:clinical |postnatal |postpartum )?depression
            (?:anxiety|panic|eating) (?:disorder|attacks?)
            antidepressants?|insulin|metformin|chemotherapy|chemo|prozac|sertraline|warfarin|statins?
            high blood pressure|hypertension|hypothyroidism|arthritis|celiac(?: disease)?|crohn['’]?s(?: disease)?
            miscarriage|abortion|IVF
            """,
            r"""
            allerg(?:y|ies|ic)(?: to [\w-]+)?
            pregnan(?:t|cy)
            (?:knee |heart |back |hip |eye )?surgery
            therapist|psychiatrist|psychologist|rehab
            prescri(?:bed|ption)s?
            medication|pills|symptoms
            (?:blood|test) (?:results?|tests?)
            heart (?:attack|condition|disease)|(?:had|has|having|suffered|survived|after|since) (?:a|his|her|my|the) (?:mini-?)?stroke
            hospitali[sz]ed|sober|relapsed?|chronic (?:pain|illness|fatigue)
            disab(?:led|ility)|wheelchair|insomnia|infection|tumou?r|fracture[ds]?|concussion
            """,
        ),
        S.FINANCE: (
            r"""
            net worth|credit score|bankrupt(?:cy)?|overdraft|payslip|foreclosure
            """,
            rf"""
            salary|wages?|income|bonus of {_MONEY}|pension(?: plan)?|mortgage|savings|debts?|loans?|inheritance|alimony
            (?:earn|earns|earned|make|makes|owe|owes|owed|saved|invested|lost|inherited|borrowed|pays?)(?: about| around| over| nearly| me| us)? {_MONEY}
            bank (?:account|balance)|account (?:number|balance)|brokerage account|tax(?: return| debt|es)
            """,
        ),
        S.CONTACT: (
            r"""
            \d{1,5}[A-Za-z]? (?:(?-i:[A-Z])[\w'’.-]+ ){1,3}(?:Street|St\.?|Road|Rd\.?|Avenue|Ave\.?|Lane|Drive|Boulevard|Blvd\.?|Way|Close|Court|Square)(?:, (?:apartment|apt\.?|flat|unit) [\w-]+)?
            (?:telegram|whatsapp|signal|skype|instagram|discord|snapchat) (?:handle|number|id|username)(?: is)? @?[\w.-]+
            """,
            r"""
            (?:home |street |mailing |postal )address(?: is)? [\w ,.'’-]{4,60}
            (?:phone|mobile|cell|telephone) number(?: is)?(?: \+?[\d -]{5,})?
            post ?code(?: is)? (?-i:[A-Z])[A-Z\d -]{2,8}
            """,
        ),
        S.MINORS: (
            rf"""
            {_SMALL_AGE}[- ]years?[- ]old (?:{_YOUNG}|twins)
            {_YOUNG}(?:,? (?-i:[A-Z])[\w-]+,?)? (?:is|are|was|turns|turned|just turned|will be|is turning) {_SMALL_AGE}(?: years old| now| today| tomorrow)?
            """,
            rf"""
            I(?:['’]m| am) {_SMALL_AGE}(?: years old)
            (?:{_YOUNG})(?:,? (?-i:[A-Z])[\w-]+,?)? (?:goes to|attends|started|starts|is in|is at|goes to school at) [\w'’. -]{{0,30}}(?:school|kindergarten|nursery|grade|daycare|preschool)
            I(?:['’]m| am) in (?:the )?(?:[1-9]|1[0-2])(?:st|nd|rd|th) grade
            """,
        ),
        S.POLITICAL: (
            r"""
            (?:registered|lifelong|staunch) (?:democrat|republican|independent)
            (?:voted|voting|vote|campaign(?:ed|ing)?|canvass(?:ed|ing)?) for (?:the )?(?-i:[A-Z])\w+
            political (?:views?|beliefs?|opinions?|party)
            """,
            r"""
            (?:labou?r|conservative|green|socialist|communist|liberal|democratic|republican) party
            (?:democrat|republican|socialist|communist|marxist|anarchist|conservative|libertarian|leftist|left-wing|right-wing)s?
            trade union|union (?:member|rep)|protest(?:ed|ing)? against [\w ]{3,30}
            """,
        ),
        S.RELIGIOUS: (
            r"""
            (?:devout|practi[sc]ing|lapsed|born-again) (?:muslim|christian|catholic|protestant|anglican|jew|hindu|buddhist|sikh|mormon|believer)s?
            converted to (?:islam|christianity|judaism|buddhism|catholicism|hinduism)
            baptism|baptised|baptized|bar mitzvah|bat mitzvah
            """,
            r"""
            muslims?|christians?|catholics?|protestants?|jew(?:s|ish)?|hindus?|buddhists?|sikhs?|mormons?|atheists?|agnostic|evangelical
            pray(?:s|ed|ing|er)?|(?:go|goes|went|going) to (?:church|mass|mosque|synagogue|temple)
            (?:my |our |her |his )?faith in (?:god|christ|allah)|bible study|quran|ramadan|lent|sabbath
            """,
        ),
        S.SEXUAL: (
            r"""
            sexual (?:orientation|preferences?|history|partners?)|sex life|one-night stand|erectile dysfunction
            bisexual|asexual|pansexual|transgender|gender dysphoria
            chlamydia|gonorrh(?:o)?ea|STIs?|STDs?
            """,
            r"""
            gay|lesbian|queer|heterosexual|homosexual|(?:came|come|coming|comes) out (?:as [\w-]+|to (?:my|his|her|their|our|me|us|you)\b)|(?:since|after|before|my|her|his|their) coming out(?= *(?:$|[.,;!?]))
            slept with|sleeping with|had sex|sleeps with|contraceptives?|birth control|affair with
            """,
        ),
    },
    spaced=True,
)
