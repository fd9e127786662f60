/** American pronunciations by part of speech that the dictionary lacks, in its notation. */
export const AMERICAN_VARIANTS: ReadonlyMap<string, readonly [string, ...string[]]> = new Map(
  Object.entries({
    export: ['ˈɛkspˌɔɹt', 'VERB=ɪkspˈɔɹt'],
    exports: ['ˈɛkspˌɔɹts', 'VERB=ɪkspˈɔɹts'],
    frequent: ['fɹˈikwənt', 'VERB=fɹikwˈɛnt'],
    frequents: ['fɹikwˈɛnts'],
    perfume: ['pˈɜɹfjˌum', 'VERB=pəɹfjˈum'],
    protest: ['pɹˈOtˌɛst', 'VERB=pɹətˈɛst'],
    protests: ['pɹˈOtˌɛsts', 'VERB=pɹətˈɛsts'],
    recount: ['ɹikˈWnt', 'NOUN=ɹˈikˌWnt'],
    recounts: ['ɹikˈWnts', 'NOUN=ɹˈikˌWnts'],
  } satisfies Record<string, readonly [string, ...string[]]>),
);
