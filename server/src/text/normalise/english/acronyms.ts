import { say, spell, type VerbalizedWord } from '../verbalization.ts';

/** Acronyms pronounced as words, although they look unpronounceable. */
const PRONOUNCED = new Set(
  (
    'NASA NATO UNESCO UNICEF OPEC AIDS FIFA UEFA NAFTA ASEAN SWAT RADAR LASER SCUBA ARM SONAR RAM ROM SIM PIN GIF JPEG ' +
    'NAND NOR BIOS CAPTCHA COVID SARS MERS OSHA FEMA PETA NAVSTAR POTUS SCOTUS FLOTUS AWOL NIMBY YOLO FOMO LAN WAN ' +
    'WYSIWYG ASCII CAD DOS ACID BASIC COBOL FORTRAN PASCAL JSON YAML TOML AJAX REST SOAP CRUD RAID WASM CUDA ' +
    'ICANN IKEA LEGO NABISCO GEICO QANTAS INTERPOL EUROPOL BAFTA EBITDA ERISA HIPAA HEPA MENSA NASDAQ NASCAR ' +
    'TASER TED UNIX VISA ZIP DARPA CERN MIDI NOAA PAC NICE ISIS HAMAS AMEX'
  ).split(' '),
);

/** Initialisms that look pronounceable but are spelled. */
const SPELLED = new Set(
  (
    'USA UAE EU UN US UK AI IT PR TV PC CEO CFO CTO COO CIO CIA FBI NSA IRS FDA EPA UFO USB URL URI API SQL IOS ' +
    'ETA DIY FAQ EEG ECG EKG IQ EQ ID OK OJ PE IOU IPO ISO IEEE ATM AM PM AC BA MA BBC ABC CNN NBC NBA NFL MLB NHL ' +
    'UFC AOL IBM HP AMD ATT CPU GPU TPU SSD HDD LED OLED LCD DVD CD HD UHD AR VR XR UI UX SEO SDK IDE CSS XML HTML ' +
    'HTTP HTTPS FTP SSH TCP UDP DNS VPN LTE GSM IP IPA ISP EOD EOF EST PST CST MST GMT UTC CET BST AD BC BCE CE ' +
    'USC UCLA MIT NYU LSE ESPN NAACP UNHCR IMF WTO OECD EFTA ILO IAEA SAT GRE LSAT IRA ICU ER ENT IV IVF ADHD OCD ' +
    'RSVP ASAP FYI BTW IMO AKA TBA TBD RIP LOL OMG ESG ETF EV SUV LGBT DIY OCR APA AAA RNA DNA UPS USPS DHL AIG ' +
    'UTF EOS AWS IAM SLA ELO IEC EEA LAX JFK UCL EPL AFC ACL ACM UTI IUD'
  ).split(' '),
);

/** Short words that occur in capitals for emphasis or in headings. */
const CAPITALIZED_WORDS = new Set(
  (
    'A I AM AN AS AT BE BY DO GO HE HI IF IN IS IT ME MY NO OF OH ON OR SO TO UP US WE ALL AND ANY ARE BAD BIG BUT BUY ' +
    'CAN DAD DAY DID END FAR FEW FOR FUN GET GOD GOT HAD HAS HER HEY HIM HIS HOT HOW ITS JOB LET LOT MAN MAY MEN MOM ' +
    'MUM NEW NOT NOW ODD OFF OLD ONE OUR OUT OWN PAY PUT RED RUN SAD SAY SEE SET SHE SIT SIX SON SUN TEN THE TOO TOP ' +
    'TRY TWO USE WAR WAS WAY WET WHO WHY WIN WON YES YET YOU BOX CAR CAT DOG EAT FLY GUN HIT LAW LOW MAD AGO ACT ADD ' +
    'AGE AIR ARM ART ASK BED BOY CUT DIE DRY EAR EYE FIX GAS ICE KEY LEG LIE MIX NET OIL PEN SEA SKY TAX TEA VAN NONE ' +
    'STOP HELP ONLY OPEN SALE FREE THIS THAT THEM THEN THEY WHAT WHEN WILL WITH WORK YOUR FROM HAVE HERE JUST KEEP KNOW ' +
    'LIKE LOVE MAKE MORE MUST NEVER NEXT NICE OKAY OVER READ STAY TAKE TELL TURN VERY WAIT WANT WELL WERE CALL COME DONT WOW HUH AHA UGH YAY BYE NAH YEP YUP NOPE OOH HEH MEH SIR JOY TOY ZOO BOO'
  ).split(' '),
);

/** Nouns that may precede a single letter as a name: "vitamin C", "plan B". */
export const LETTER_NOUN =
  /^(?:vitamin|plan|grade|option|section|point|type|group|class|letter|appendix|hepatitis|exhibit|gate|team|side|row|question|questions|answer|item|part|platform|terminal|building|zone|series|model|figure)$/i;

const VOWEL = /[AEIOUY]/;
/** Consonant clusters that no English word begins with. */
const HARD_START = /^(?:[BCDFGJKLMNPQRSTVXZ][BCDFGJKMNPQSTVXZ]|X|[^AEIOUYSTCPBDFGKWRL][^AEIOUYRLHW])/;
const EASY_START = /^(?:SC|SK|SM|SN|SP|ST|SQ|SV|PN|PS|KN|GN|TS|PT|CZ|DJ|MN)/;
const HARD_INSIDE = /[BCDFGHJKLMNPQRSTVWXZ]{4}|Q[^U]|J[^AEIOU]|[BCDFGJKPQTVXZ]{3}|V[BCDFGHJKLMNPQRSTWXZ]/;
const HARD_END =
  /(?:(?!CH|PH|GH|MB|MN|GN|BB|DD|FF|GG|ZZ)[BCDFGJKMPQVXZ][BDFGHJMNQRVWXZ]|[^AEIOUYR]R|[AIU]{2}|V|J|Q)$/;

/** Whether a word in capitals is spelled. */
export function readsAsLetters(word: string): boolean {
  if (word !== word.toUpperCase() || word.length > 8) return false;
  if (SPELLED.has(word)) return true;
  if (PRONOUNCED.has(word)) return false;
  if (word.length === 1) return word !== 'A' && word !== 'I';
  if (word.length <= 3) return !CAPITALIZED_WORDS.has(word);
  return !isPronounceable(word) && !CAPITALIZED_WORDS.has(word);
}

/** Words without vowels that are not spelled: interjections and abbreviations. */
const NOT_SPELLED = new Set(
  'hmm mmm shh brr grr pst psst tsk nth pfft bzz hrs yrs lbs pts pcs mrs sgt ltd blvd tbsp tsp mths'.split(
    ' ',
  ),
);

/** Whether a lower-case word is the name of a program or format that is spelled: "npm", "html", "url". */
export function isSpelledLowerCase(word: string): boolean {
  if (/^(?:api|url|sql|cpu|gpu)$/.test(word)) return true;
  if (!/^[b-df-hj-np-tv-xz]{3,5}$/.test(word) || /(.)\1$/.test(word)) return false;
  return !NOT_SPELLED.has(word);
}

/** Whether a short lower-case label of an address is spelled: "bbc", but not "doe". */
export function spellsInAddress(label: string): boolean {
  const capitals = label.toUpperCase();
  if (CAPITALIZED_WORDS.has(capitals) || PRONOUNCED.has(capitals)) return false;
  return SPELLED.has(capitals) || !isPronounceable(capitals);
}

function isPronounceable(word: string): boolean {
  if (!VOWEL.test(word)) return false;
  if (HARD_START.test(word) && !EASY_START.test(word)) return false;
  return !HARD_INSIDE.test(word) && !HARD_END.test(word);
}

/** Whether a word in capitals may be an emphasized word rather than an acronym. */
export function isShoutedWord(word: string): boolean {
  return CAPITALIZED_WORDS.has(word) || (word.length >= 4 && !SPELLED.has(word) && isPronounceable(word));
}

/** Verbalizes a part of a name in a program: "MAX" and "retry" are words, "URL" and "DB" are spelled. */
export function codePartWords(part: string, start: number): readonly VerbalizedWord[] {
  const end = start + part.length;
  const isWord =
    PRONOUNCED.has(part) || CAPITALIZED_WORDS.has(part) || (part.length >= 3 && isPronounceable(part));
  return isWord && !SPELLED.has(part) ? say(part.toLowerCase(), start, end) : spell(part, start, end);
}

/** A version after an acronym: "ARMv8", "IPv6". */
const VERSIONED_ACRONYM = /^(\p{Lu}{2,6})(v)$/u;

/** Verbalizes a run of letters within a code: spelled if it looks like an acronym, else as a word. */
export function lettersOfCode(letters: string, start: number): readonly VerbalizedWord[] {
  const end = start + letters.length;
  if (letters.length === 1) return spell(letters, start, end);
  const versioned = VERSIONED_ACRONYM.exec(letters);
  if (versioned) return [...lettersOfCode(versioned[1]!, start), ...spell('v', end - 1, end)];
  const isCapitals = letters === letters.toUpperCase();
  if (
    letters.length <= 4 &&
    letters === letters.toLowerCase() &&
    SPELLED.has(letters.toUpperCase()) &&
    !CAPITALIZED_WORDS.has(letters.toUpperCase())
  )
    return spell(letters, start, end);
  if (!isCapitals && letters.length > 1) return say(letters, start, end);
  const isLetters = readsAsLetters(letters) || (letters.length <= 3 && !PRONOUNCED.has(letters));
  return isLetters ? spell(letters, start, end) : say(letters.toLowerCase(), start, end);
}
