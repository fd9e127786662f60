/**
 * Names and borrowed words that the general dictionary and espeak get wrong, as American English says
 * them. Only what people are likely to meet; everything regular is left to the dictionaries.
 */
export const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    aoife: 'ˈifə',
    caoimhe: 'kwˈivə',
    ciara: 'kˈɪɹə',
    cillian: 'kˈɪliən',
    eoghan: 'ˈOən',
    eoin: 'ˈOɪn',
    niamh: 'nˈiv',
    oisin: 'əʃˈin',
    padraig: 'pˈɔdɹɪɡ',
    saoirse: 'sˈɜɹʃə',
    siobhan: 'ʃəvˈɔn',
    sinead: 'ʃɪnˈAd',
    joaquin: 'wˌɑkˈin',
    ludmila: 'lˌudmˈilə',
    priya: 'pɹˈiə',
    anais: 'ˌɑnɑˈis',
    xiaoming: 'ʃˌWmˈɪŋ',
    zhang: 'ʒˈɑŋ',
    zhao: 'ʤˈW',
    xu: 'ʃˈu',
    qi: 'ʧˈi',
    qin: 'ʧˈɪn',
    wojciech: 'vˈYʧɛx',
    agnieszka: 'ɑɡnjˈɛʃkə',
    krzysztof: 'kʃˈɪʃtɔf',
    bjorn: 'bjˈɔɹn',
    jurgen: 'jˈɜɹɡən',
    hermione: 'həɹmˈIəni',
    yosemite: 'jOsˈɛməTi',
    résumé: 'ɹˈɛzəmˌA',
    'champs-elysees': 'ʃˌɑnzəlizˈA',
    okafor: 'ˈOkəfˌɔɹ',
    // Spelled as they sound, for readings that no other word shares.
    doave: 'dˈOv',
    minnit: 'mˈɪnət',
  }),
);
