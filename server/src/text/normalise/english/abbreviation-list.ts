/** When the full stop of an abbreviation also ends the sentence. */
export type Ending = 'never' | 'before a capital' | 'before a sentence opener';

/** The expansion of an abbreviation, and the conditions for it. */
export interface Abbreviation {
  readonly words: string;
  readonly ending: Ending;
  /** Only before a number: "No. 5", "p. 12". */
  readonly beforeNumber?: true;
  /** Only before a capitalized word. */
  readonly beforeName?: true;
  /** Also recognized without the full stop. */
  readonly stopOptional?: true;
}

type Traits = Omit<Abbreviation, 'words'>;

/** Parses entries such as `Mr mister`, separated by commas. */
function pairs(list: string): [short: string, long: string][] {
  return list.split(', ').map((entry) => {
    const space = entry.indexOf(' ');
    return [entry.slice(0, space), entry.slice(space + 1)];
  });
}

function group(traits: Traits, list: string): [string, Abbreviation][] {
  return pairs(list).map(([short, words]) => [short, { words, ...traits }]);
}

/** English abbreviations, without their full stop. */
export const ABBREVIATIONS: ReadonlyMap<string, Abbreviation> = new Map([
  ...group(
    { ending: 'never', stopOptional: true, beforeName: true },
    'Mr mister, Mrs missus, Ms miz, Mx mix, Dr doctor, Drs doctors, Prof professor, Profs professors, Messrs messers',
  ),
  ...group(
    { ending: 'never', beforeName: true },
    'Rev reverend, Gen general, Col colonel, Capt captain, Lt lieutenant, Sgt sergeant, Cpl corporal, Pvt private, ' +
      'Maj major, Cmdr commander, Adm admiral, Sen senator, Sens senators, Rep representative, Reps representatives, Gov governor, Pres president, ' +
      'Hon honorable, Fr father, Supt superintendent, Amb ambassador, Det detective, Insp inspector, ' +
      'Msgr monsignor, Mt mount, Ft fort, Pt point',
  ),
  ...group(
    { ending: 'before a sentence opener' },
    'Ave avenue, Blvd boulevard, Rd road, Ln lane, Hwy highway, Pkwy parkway, Sq square, Ct court, Pl place, ' +
      'Ter terrace, Apt apartment, Ste suite, Bldg building, Jr junior, Sr senior, Esq esquire, Inc incorporated, ' +
      'Ltd limited, Corp corporation, Co company, Bros brothers, Dept department, dept department, ' +
      'Univ university, Assn association, Assoc associates, Govt government, govt government, ' +
      'Intl international, Natl national, misc miscellaneous',
  ),
  ...group(
    { ending: 'before a capital' },
    'etc et cetera, ibid ibidem, hrs hours, mins minutes, secs seconds, yrs years, lbs pounds',
  ),
  ...group({ ending: 'never', stopOptional: true }, 'vs versus'),
  ...group(
    { ending: 'never' },
    'approx approximately, Approx approximately, est estimated, Est established, incl including, excl excluding, ' +
      'cf compare, viz namely, ca circa, esp especially, resp respectively, avg average, eds editors, ' +
      'Jan January, Feb February, Mar March, Apr April, Jun June, Jul July, Aug August, Sep September, ' +
      'Sept September, Oct October, Nov November, Dec December, Tue Tuesday, Tues Tuesday, Wed Wednesday, ' +
      'Thu Thursday, Thur Thursday, Thurs Thursday, Fri Friday, ' +
      'tel telephone, Tel telephone, ext extension, Ext extension, max maximum, temp temperature',
  ),
  ...group(
    { ending: 'never', beforeNumber: true },
    'No number, no number, Nos numbers, nos numbers, Fig figure, fig figure, Figs figures, Vol volume, vol volume, ' +
      'Ch chapter, ch chapter, p page, pp pages, Sec section, sec section, Art article, Eq equation, eq equation, ' +
      'Rm room, Mk mark, Rte route, Ver version, ver version, c circa, min minimum, Min minimum, Op opus, op opus, pt part',
  ),
]);

/** Words that, when capitalized, usually begin a sentence and are not a name. */
export const SENTENCE_OPENERS: ReadonlySet<string> = new Set(
  (
    'The A An It He She We They I You This That These Those There Then But And Or So If In On At As After Before When While ' +
    'Where Why What Who How My Our Your His Her Its Their Please Do Did Does Is Are Was Were Can Could Will Would Should No ' +
    'Not Yes Turn Take Let Some Many Most All One Two Both Each Every Now Today Yesterday Tomorrow However Although Because ' +
    'Since For From With By To Of Here Meanwhile Later Next First Finally Nobody Everyone Someone Nothing Everything'
  ).split(' '),
);

/** States of the USA by their postal abbreviations. */
export const STATES: ReadonlyMap<string, string> = new Map(
  pairs(
    'AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware, ' +
      'FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky, ' +
      'LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, ' +
      'MO Missouri, MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, ' +
      'NY New York, NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, ' +
      'RI Rhode Island, SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, ' +
      'VA Virginia, WA Washington, WV West Virginia, WI Wisconsin, WY Wyoming',
  ),
);
