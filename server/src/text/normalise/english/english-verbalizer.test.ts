import { testVerbalizations } from '../../../../test/support/text/verbalization-cases.ts';

testVerbalizations('numbers', {
  '1,482 people': 'one thousand four hundred eighty two people',
  '1,000,000': 'one million',
  '3.14159': 'three point one four one five nine',
  'only .5 left': 'only point five left'.replace('point', 'zero point'),
  'minus 4': 'minus four',
  'to -4 overnight': 'to minus four overnight',
  'it was −12 there': 'it was minus twelve there',
  'agent 007': 'agent zero zero seven',
  '12345678901': 'one two three four five six seven eight nine zero one',
  '1st, 2nd, 3rd, 21st, 100th': 'first second third twenty first one hundredth',
  '1,000th': 'one thousandth',
  '1/2 cup': 'one half cup',
  '2/3 and 3/4': 'two thirds and three quarters',
  '1 1/2 cups': 'one and a half cups',
  '2½ hours': 'two and a half hours',
  'open 24/7': 'open twenty four seven',
  '16:9': 'sixteen to nine',
  '10–20 people': 'ten to twenty people',
  'pages 4-9': 'pages four to nine',
  'a 3x4 grid': 'a three by four grid',
  '1920×1080': 'nineteen twenty by ten eighty',
  '2 + 2 = 4': 'two plus two equals four',
  '5 - 3 = 2': 'five minus three equals two',
  'about ~50': 'about about fifty',
  '#7 and No. 5': 'number seven and number five',
  '“No.” he said': 'No he said',
});

testVerbalizations('years, decades and dates', {
  'in 1893': 'in eighteen ninety three',
  'in 2008 and 2016': 'in two thousand eight and twenty sixteen',
  'since 1905': 'since nineteen oh five',
  'in 1900': 'in nineteen hundred',
  '1482 soldiers': 'one thousand four hundred eighty two soldiers',
  '1500 people': 'fifteen hundred people',
  '1914–1918': 'nineteen fourteen to nineteen eighteen',
  '44 BC': 'forty four B C',
  "the 1990s, the '90s, the 80s": 'the nineteen nineties the nineties the eighties',
  'mid-1990s': 'mid nineteen nineties',
  'May 14, 1893': 'May fourteenth eighteen ninety three',
  'March 3rd, at two': 'March third at two',
  'Jan. 5 and Sept. 2019': 'January fifth and September twenty nineteen',
  'May 20 people come?': 'May twenty people come',
  'July 4–6': 'July fourth to sixth',
  '2024-03-14': 'March fourteenth twenty twenty four',
  '3/14/2024': 'March fourteenth twenty twenty four',
  '25/12/2023': 'December twenty fifth twenty twenty three',
  '14.03.2024': 'March fourteenth twenty twenty four',
  'due on 3/14': 'due on March fourteenth',
  '14 March 2024': 'fourteen March twenty twenty four',
  'the 29th of February': 'the twenty ninth of February',
});

testVerbalizations('times', {
  '8:15 a.m.': 'eight fifteen A M',
  '3:05 PM': 'three oh five P M',
  '11 p.m.': 'eleven P M',
  '3pm': 'three P M',
  '14:30': 'fourteen thirty',
  'at 9:00': "at nine o'clock",
  '9:00 am': 'nine A M',
  '9–11 a.m.': 'nine to eleven A M',
  '9:30-11:15': 'nine thirty to eleven fifteen',
});

testVerbalizations('money', {
  '$18.50': 'eighteen dollars and fifty cents',
  $1: 'one dollar',
  '$0.99': 'ninety nine cents',
  '$4 million': 'four million dollars',
  '$1.5M': 'one point five million dollars',
  '£2,300': 'two thousand three hundred pounds',
  '£3.20': 'three pounds and twenty pence',
  '€5bn': 'five billion euros',
  '¥500': 'five hundred yen',
  '50¢': 'fifty cents',
  '$5–10': 'five to ten dollars',
  '-$5': 'minus five dollars',
  '$10/month': 'ten dollars per month',
  '20 USD': 'twenty dollars',
});

testVerbalizations('measures', {
  '62%': 'sixty two percent',
  '10–20%': 'ten to twenty percent',
  '5 kg': 'five kilograms',
  '1 kg': 'one kilogram',
  '10kg': 'ten kilograms',
  '320 km by Friday': 'three hundred twenty kilometers by Friday',
  '60 mph': 'sixty miles per hour',
  '100 km/h': 'one hundred kilometers per hour',
  '20°C': 'twenty degrees Celsius',
  '16GB of RAM': 'sixteen gigabytes of ram',
  'the 512 GB model': 'the five hundred twelve gigabyte model',
  'a 5-km run': 'a five kilometer run',
  '250ms': 'two hundred fifty milliseconds',
  '30 m²': 'thirty square meters',
  '5\'10"': 'five foot ten',
  '5 ft. 10 in. tall': 'five feet ten inches tall',
  '5 in total': 'five in total',
});

testVerbalizations('telephone numbers, codes and versions', {
  '555-0173': 'five five five zero one seven three',
  '(212) 555-0147': 'two one two five five five zero one four seven',
  '+44 20 7946 0958': 'plus four four two zero seven nine four six zero nine five eight',
  '192.168.1.1': 'one ninety two dot one sixty eight dot one dot one',
  'v2.10.3': 'version two point ten point three',
  'Room 204': 'Room two oh four',
  'Flight 1549': 'Flight fifteen forty nine',
  'MP3 and GPT-4': 'M P three and G P T four',
  'COVID-19': 'covid nineteen',
  '221B Baker St.': 'two twenty one B Baker street',
  '4111 1111 1111 1111': 'four one one one one one one one one one one one one one one one',
});

testVerbalizations('abbreviations', {
  'Dr. Patel and Mrs. Lindqvist': 'doctor Patel and missus Lindqvist',
  'Mr. and Mrs. Jones': 'mister and missus Jones',
  'Mr Smith': 'mister Smith',
  'on Maple Dr. in St. Paul': 'on Maple drive in saint Paul',
  '12 Chapel St., next door': 'twelve Chapel street next door',
  'Mount St. Helens': 'Mount saint Helens',
  'Prof. Nguyen vs. the committee': 'professor Nguyen versus the committee',
  'e.g. this, i.e. that, etc.': 'for example this that is that et cetera',
  'J. K. Rowling and George W. Bush': 'J K Rowling and George W Bush',
  'the U.S. Army': 'the U S Army',
  'p. 42, pp. 50–57, Fig. 3': 'page forty two pages fifty to fifty seven figure three',
  'Boston, MA 02101': 'Boston Massachusetts zero two one zero one',
  'w/ milk, w/o sugar': 'with milk without sugar',
});

testVerbalizations('acronyms, capitals and single letters', {
  'The FBI, NASA and the BBC': 'The F B I nasa and the B B C',
  'URLs and the FBI’s': 'U R ells and the F B eyes',
  'STOP! DO NOT GO IN.': 'stop do not go in',
  'the WHO': 'the W H O',
  'questions A, B and D': 'questions A B and D',
  'AT&T': 'A T and T',
  'R&D': 'R and D',
  'macOS and iOS': 'mac O S and I O S',
});

testVerbalizations('Roman numerals', {
  'Henry VIII': 'Henry the eighth',
  'World War II': 'World War two',
  'Chapter IV': 'Chapter four',
  'Elizabeth I reigned': 'Elizabeth the first reigned',
  'Mary I think': 'Mary I think',
  'the XIX century': 'the nineteenth century',
  "Elizabeth II's reign": "Elizabeth the second's reign",
});

testVerbalizations('addresses, files and tags', {
  'www.example.com.': 'W W W dot example dot com',
  'https://example.net/help': 'example dot net slash help',
  'support@example.org': 'support at example dot org',
  'john.doe_99@mail.co.uk': 'john dot doe underscore ninety nine at mail dot co dot U K',
  'main.py and report.pdf': 'main dot P Y and report dot P D F',
  '#ClimateChange': 'hashtag Climate Change',
  '@jack': 'at jack',
});

testVerbalizations('symbols that are not verbalized', {
  '**bold** _it_ `code` ~~gone~~': 'bold it code gone',
  '# Heading': 'Heading',
  '- item': 'item',
  '<b>bold</b><br/> text': 'bold text',
  '[link](https://x.com/y) ok': 'link ok',
  'smile 😀 now': 'smile now',
  'Tom &amp; Jerry': 'Tom and Jerry',
  'noted.[12] Next': 'noted Next',
});

testVerbalizations(
  'British English',
  {
    '1,105': 'one thousand one hundred and five',
    '3/4/2021': 'the third of April twenty twenty one',
    'on 14 March 2024': 'on the fourteenth of March twenty twenty four',
    '50p': 'fifty pence',
  },
  'en-GB',
);
