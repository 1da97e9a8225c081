"""Word lists that tell statements apart which look alike: "I'm a nurse" and "I'm a mess"."""

from __future__ import annotations

import re

_OCCUPATIONS = """
accountant actor actress actuary administrator analyst anesthesiologist animator anthropologist archaeologist
architect archivist artist astronaut astronomer athlete attorney auditor author baker banker barber barista
bartender biochemist biologist blacksmith blogger boxer bricklayer broker builder butcher carer caregiver carpenter
cartographer cashier chef chemist choreographer cinematographer cleaner coder comedian composer conductor consultant
contractor cook counselor counsellor courier curator dancer dentist dermatologist designer detective developer
dietitian diplomat director doctor dressmaker driver ecologist economist editor electrician engineer entrepreneur
epidemiologist farmer filmmaker firefighter fisherman florist freelancer gardener geneticist geographer geologist
goldsmith gp grocer guitarist hairdresser historian housekeeper illustrator immunologist instructor interpreter
investigator janitor jeweler journalist judge lawyer lecturer librarian lifeguard linguist locksmith magician maid
mailman manager massage-therapist mathematician mechanic meteorologist microbiologist midwife miner model musician
nanny neurologist neuroscientist novelist nurse nutritionist obstetrician oncologist optician optometrist painter
paralegal paramedic pediatrician pharmacist philosopher photographer physician physicist physiotherapist pianist
pilot plumber podcaster poet police-officer politician postman potter priest producer professor programmer
psychiatrist psychologist publisher radiographer radiologist realtor receptionist recruiter reporter researcher
retiree roofer sailor salesman salesperson saleswoman scientist screenwriter sculptor seamstress secretary
shopkeeper singer sociologist soldier solicitor songwriter statistician stockbroker stylist superintendent surgeon
surveyor tailor teacher technician therapist tiler toolmaker trader trainer translator tutor upholsterer vet
veterinarian videographer violinist waiter waitress watchmaker welder winemaker woodworker writer zoologist student
undergraduate officer
"""
OCCUPATIONS = frozenset(_OCCUPATIONS.split())

NOT_JOBS = re.compile(
    r"(?i)\b(?:fan|lover|believer|beginner|home cook|great|good|bad|terrible|amazing|decent|lousy|better|big|huge"
    r"|natural|born"
    r"|aspiring|wannabe|failed|former|retired|ex|future|would-be|amateur|hobby|fellow|real|true|poor|slow|fast|quick"
    r"|lazy"
    r"|picky|team|role|early|first|second|third|last|next|only|careful|avid|worse|worst|best|model (?:citizen"
    r"|student)|perpetual"
    r"|eternal|lifelong|visual|control|mean|master|armchair|secret|closet|changed|new|proud|super|little|bit|hopeless"
    r"|total"
    r"|absolute|complete|crazy|certified|simple|mere|humble|back-?seat|sunday|stress|binge|night|budding|self-taught)\b"
)

_PETS = """
dog puppy pup cat kitten kitty parrot budgie canary cockatiel hamster guinea-pig rabbit bunny ferret tortoise turtle
snake gecko lizard iguana goldfish hedgehog chinchilla gerbil horse pony poodle labrador lab beagle corgi husky
dachshund chihuahua pug bulldog dalmatian greyhound collie terrier spaniel retriever golden-retriever shepherd
german-shepherd schnauzer shih-tzu maltese pomeranian dobermann rottweiler siamese ragdoll mutt rescue-dog
rescue-cat
"""
PETS = frozenset(word.replace("-", " ") for word in _PETS.split())

_LANGUAGES = """
english french german spanish italian portuguese dutch flemish swedish norwegian danish finnish icelandic polish
czech slovak hungarian romanian bulgarian greek turkish russian ukrainian serbian croatian bosnian slovenian
albanian lithuanian latvian estonian arabic hebrew persian farsi dari pashto urdu hindi punjabi bengali tamil telugu
malayalam kannada gujarati marathi nepali sinhala chinese mandarin cantonese japanese korean vietnamese thai khmer
lao burmese malay indonesian tagalog filipino swahili amharic yoruba igbo hausa zulu xhosa afrikaans irish gaelic
welsh catalan basque galician esperanto latin mongolian kazakh uzbek georgian armenian azerbaijani yiddish somali
"""
LANGUAGES = frozenset(_LANGUAGES.split())

_CONDITIONS = (
    r"(?:type [12i]+ |type-[12] |gestational )?diabetes|(?:severe |mild |chronic |exercise-induced )?asthma|adhd|add"
    r"|ocd|ptsd"
    r"|autism|epilepsy|migraines?|chronic migraines?|celiac disease|coeliac disease|crohn'?s(?: disease)?|colitis"
    r"|ulcerative colitis|ibs|irritable bowel syndrome|arthritis|rheumatoid arthritis|osteoarthritis|lupus|psoriasis"
    r"|eczema"
    r"|rosacea|endometriosis|pcos|hypertension|high blood pressure|low blood pressure|high cholesterol|hypothyroidism"
    r"|hyperthyroidism|hashimoto'?s|an(?:a)?emia|h(?:a)?emophilia|parkinson'?s(?: disease)?|multiple sclerosis"
    r"|fibromyalgia"
    r"|glaucoma|tinnitus|dyslexia|scoliosis|osteoporosis|sleep apn(?:o)?ea|insomnia|narcolepsy|bipolar disorder"
    r"|depression"
    r"|clinical depression|schizophrenia|(?:generali[sz]ed |social )?anxiety(?: disorder)?|lactose intolerance|gout"
    r"|gerd"
    r"|acid reflux|hepatitis(?: [abc])?|hiv|copd|cystic fibrosis|sickle cell(?: disease| anemia)?|vitiligo|(?:breast "
    r"|lung |skin"
    r" |prostate |colon |thyroid )?cancer|leukemia|lymphoma|kidney disease|heart disease|a heart condition"
    r"|atrial fibrillation"
    r"|hay fever|carpal tunnel(?: syndrome)?|vertigo|sciatica|raynaud'?s"
)
CONDITION = re.compile(rf"(?i)(?:{_CONDITIONS})\b")

_MEDICATION = (
    r"metformin|insulin|lisinopril|ramipril|enalapril|losartan|valsartan|amlodipine|atenolol|metoprolol|bisoprolol"
    r"|propranolol"
    r"|atorvastatin|simvastatin|rosuvastatin|levothyroxine|omeprazole|pantoprazole|esomeprazole|sertraline|fluoxetine"
    r"|citalopram|escitalopram|paroxetine|venlafaxine|duloxetine|bupropion|mirtazapine|trazodone|lithium|lamotrigine"
    r"|quetiapine|aripiprazole|olanzapine|risperidone|methylphenidate|ritalin|adderall|concerta|vyvanse"
    r"|lisdexamfetamine"
    r"|warfarin|apixaban|eliquis|xarelto|clopidogrel|aspirin|ibuprofen|naproxen|paracetamol|acetaminophen|prednisone"
    r"|prednisolone|albuterol|salbutamol|montelukast|cetirizine|loratadine|fexofenadine|antihistamines?|methotrexate"
    r"|hydroxychloroquine|humira|ozempic|wegovy|semaglutide|mounjaro|gabapentin|pregabalin|topiramate|sumatriptan"
    r"|levetiracetam|prozac|zoloft|lexapro|xanax|alprazolam|lorazepam|clonazepam|antidepressants?|blood thinners?"
    r"|statins?"
    r"|beta[ -]blockers?|hydrochlorothiazide|furosemide|spironolactone|finasteride|tamoxifen|amoxicillin|doxycycline"
)
MEDICATION = re.compile(rf"(?i)(?:{_MEDICATION})\b")

DIET = re.compile(
    r"(?i)(?:(?:strict |lifelong )?(?:vegetarian|vegan|pescatarian|pescetarian|lacto-vegetarian|ovo-vegetarian"
    r"|lacto-ovo vegetarian|flexitarian|fruitarian))\b(?!\s+(?:restaurant|food|recipe|dish|option|chef|cook|meal"
    r"|cafe)s?)"
)
NOT_EATEN = re.compile(
    r"(?i)(?:red meat|meat|pork|beef|chicken|poultry|fish|seafood|shellfish|dairy|eggs|gluten|sugar|pork or beef"
    r"|meat or fish|animal products|wheat|lamb)\b(?!\s+(?:on|in|at|for|before|after|when|very|that|this|today|much"
    r"|often|every)\b)"
)

_DRINKS = (
    "coffee|tea|green tea|black tea|herbal tea|decaf|alcohol|beer|wine|red wine|white wine|milk|oat milk|soy milk"
    "|matcha|water"
)
DRINK = re.compile(rf"(?i)(?:{_DRINKS})\b")

# What people move between that is no place.
TOOL = re.compile(
    r"(?i)(?:postgres(?:ql)?|mysql|mariadb|sqlite|mongodb|mongo|redis|oracle(?: db)?|sql server|neo4j|cassandra"
    r"|dynamodb"
    r"|elasticsearch|aws|azure|gcp|google cloud|heroku|kubernetes|docker|windows|linux|ubuntu|debian|fedora"
    r"|arch(?: linux)?"
    r"|mac(?:os)?|android|ios|iphone|python|java(?:script)?|typescript|rust|golang|go|ruby|php|kotlin|swift|scala"
    r"|c\+\+|c#"
    r"|react|vue|angular|svelte|django|flask|fastapi|rails|spring|vim|neovim|emacs|vs ?code|pycharm|intellij"
    r"|sublime(?: text)?"
    r"|notion|obsidian|evernote|onenote|slack|teams|discord|zoom|gmail|outlook|chrome|firefox|safari|brave|edge|spotify"
    r"|apple music|jira|trello|asana|linear|github|gitlab|bitbucket|figma|sketch|photoshop|gimp|excel|google sheets"
    r"|word"
    r"|whatsapp|telegram|signal|git|svn|jenkins|npm|yarn|pnpm|pip|poetry|uv|bash|zsh|fish|latex|markdown"
    r"|wordpress)(?![A-Za-z0-9_-]| of\b)"
)

_WEEKDAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
# What people say they are allergic to, and are not.
NO_ALLERGEN = re.compile(
    rf"(?i)\b(?:{_WEEKDAYS}|mornings?|work\w*|exercise|exercising|people|humans?|idiots?|stupid\w*|bull\w*|drama"
    rf"|nonsense"
    r"|meetings?|commitment|relationships?|love|fun|homework|math|school|job|jobs|responsib\w+|effort|housework"
    r"|cleaning|cooking"
    r"|losing|failure|him|her|you|them|it|that|this|everything|anything|nothing|something|life|small talk|politics"
    r"|compliments?"
    r"|criticism|change|boredom|bad \w+|being|getting|waking|sports?|gyms?|running|poverty|taxes|deadlines|emails?"
    r"|nature)\b"
)

# What may follow a town after a comma ("Portland, Oregon"); anything else there may be whom the sentence speaks to.
_REGIONS = """
Afghanistan|Albania|Algeria|Argentina|Armenia|Australia|Austria|Azerbaijan|Bangladesh|Belarus|Belgium|Bolivia|Bosnia
|Brazil|Bulgaria|Cambodia|Cameroon|Canada|Chile|China|Colombia|Costa Rica|Croatia|Cuba|Cyprus|Czechia|Czech Republic
|Denmark|Ecuador|Egypt|England|Estonia|Ethiopia|Finland|France|Georgia|Germany|Ghana|Greece|Guatemala|Hong Kong
|Hungary|Iceland|India|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Jamaica|Japan|Jordan|Kazakhstan|Kenya|Korea
|South Korea|Kuwait|Latvia|Lebanon|Lithuania|Luxembourg|Malaysia|Malta|Mexico|Mongolia|Morocco|Nepal|Netherlands
|New Zealand|Nigeria|Northern Ireland|Norway|Pakistan|Panama|Peru|Philippines|Poland|Portugal|Qatar|Romania|Russia
|Saudi Arabia|Scotland|Senegal|Serbia|Singapore|Slovakia|Slovenia|South Africa|Spain|Sri Lanka|Sweden|Switzerland
|Syria|Taiwan|Tanzania|Thailand|Tunisia|Turkey|UAE|UK|USA|US|U\\.S\\.|Uganda|Ukraine|Uruguay|Uzbekistan|Venezuela
|Vietnam|Wales|Zimbabwe|Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Hawaii
|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi
|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio
|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia
|Washington|West Virginia|Wisconsin|Wyoming|Ontario|Quebec|British Columbia|Alberta|Nova Scotia|Bavaria|Catalonia
|Tuscany|Queensland|Victoria|New South Wales|[A-Z]{2}
"""
REGION = re.compile(rf"(?:the )?(?:{''.join(_REGIONS.split(chr(10)))})(?![\w-])")

# Capitalised words that are no name of a person.
_NO_NAMES = """
i i'm ok okay god jesus sorry back here sure happy glad sad fine good great well so not no yes just really very
tired busy monday tuesday wednesday thursday friday saturday sunday january february march july august september
october november december christmas easter halloween thanksgiving english french german spanish italian portuguese
dutch swedish norwegian danish finnish icelandic polish czech hungarian romanian bulgarian greek turkish russian
ukrainian serbian croatian arab israeli iranian indian pakistani chinese japanese korean vietnamese thai indonesian
malaysian filipino american canadian mexican brazilian argentinian colombian chilean peruvian australian british
scottish irish welsh european asian african nigerian kenyan egyptian moroccan swiss austrian belgian catholic muslim
jewish hindu buddhist atheist vegan vegetarian mud legion groot batman spiderman superman spartacus bond neo earl
inigo maximus hulk thor dad mom nobody noone anonymous unknown pending above below pronounced spelled hard common
weird unusual long short also actually now he she they it that this what the a an my your his her our their in on at
from to for with and but or pokemon lego nintendo netflix barbie
"""
NO_NAMES = frozenset(_NO_NAMES.split())
