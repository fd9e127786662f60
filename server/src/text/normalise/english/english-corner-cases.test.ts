import { testVerbalizations } from '../../../../test/support/text/verbalization-cases.ts';

testVerbalizations('symbols', {
  'press # or *': 'press pound or star',
  'the # of users': 'the number of users',
  '* * *': '',
  'Chapter One * * * Later': 'Chapter One Later',
  '§ 12 and §§ 12-14': 'section twelve and sections twelve to fourteen',
  '5 ± 2 and ≈ 40': 'five plus or minus two and approximately forty',
  'A → B': 'A B',
  '.NET, ASP.NET and .env': 'dot net A S P dot net and dot env',
  'C++, C# and F#': 'C plus plus C sharp and F sharp',
  'an A+ and a B-': 'an A plus and a B minus',
  "rock 'n' roll": 'rock and roll',
  'if x < 10 then': 'if X is less than ten then',
  '3.0 × 10⁸ m/s': 'three point zero times ten to the power of eight meters per second',
});

testVerbalizations('slashes', {
  'and/or': 'and or',
  'he/she and his/her and s/he': 'he or she and his or her and she or he',
  'I/O, N/A, A/B and TCP/IP': 'I O N A A B and T C P I P',
  'speed in km/h': 'speed in kilometers per hour',
  'rated 4.5/5 or 9/10 stars': 'rated four point five out of five or nine out of ten stars',
  'got 1/2 of it': 'got one half of it',
  'the 80/20 rule at 120/80': 'the eighty twenty rule at one hundred twenty over eighty',
  'the 2019/20 season': 'the twenty nineteen twenty season',
  'FY2024/25': 'F Y twenty twenty four twenty five',
});

testVerbalizations('versions', {
  'Python 3.12 and Node 20.19': 'Python three point twelve and Node twenty point nineteen',
  'TypeScript 5.10': 'TypeScript five point ten',
  'Ubuntu 22.04': 'Ubuntu twenty two point oh four',
  'v2.1 and version 2.15': 'version two point one and version two point fifteen',
  'GPT-3.5': 'G P T three point five',
  'rose 3.12 points': 'rose three point one two points',
});

testVerbalizations('ranges and pairs', {
  '5th–7th': 'fifth to seventh',
  '5%–6% and 5 km–10 km': 'five percent to six percent and five kilometers to ten kilometers',
  '24-7 and 50-50': 'twenty four seven and fifty fifty',
  'Mon–Fri, 9–5': 'Monday to Friday nine to five',
});

testVerbalizations('weekdays and times', {
  'Sun, 3 Mar': 'Sunday three March',
  'on Sat., Mar. 9th': 'on Saturday March ninth',
  'We like the Sun. It is warm.': 'We like the Sun It is warm',
  'The cat sat. It slept.': 'The cat sat It slept',
  '2024-03-05T14:30Z': 'March fifth twenty twenty four fourteen thirty U T C',
  '2024-03-05T14:30:00+01:00': 'March fifth twenty twenty four fourteen thirty U T C plus one',
  'UTC-5 and GMT+5:30': 'U T C minus five and G M T plus five thirty',
  'in 47:32 or 3:45.67': 'in forty seven thirty two or three forty five point six seven',
  '10-11:30am': 'ten to eleven thirty A M',
  'Fri 5/6': 'Friday May sixth',
  "the '08 crisis": 'the oh eight crisis',
  '2h30m': 'two hours thirty minutes',
});

testVerbalizations('numbers as identifiers', {
  'My PIN is 4071': 'My pin is four zero seven one',
  'zip code is 90210': 'zip code is nine zero two one zero',
  '90001-1234': 'nine zero zero zero one one two three four',
  'order #12345': 'order number one two three four five',
  'BA 2490': 'B A twenty four ninety',
  'a 404 error': 'a four oh four error',
  '742 Evergreen Terrace': 'seven forty two Evergreen Terrace',
  '1600 Pennsylvania Ave NW': 'sixteen hundred Pennsylvania avenue N W',
  'PO Box 123, Apt 4B': 'P O Box one twenty three apartment four B',
  '100 N. Main St., Hwy 61': 'one hundred north Main street highway sixty one',
  '401(k) and 501(c)(3)': 'four oh one K and five oh one C three',
  '(555) 123-4567 x89': 'five five five one two three four five six seven extension eight nine',
  '₹1,25,000 or Rs. 500': 'one hundred twenty five thousand rupees or five hundred rupees',
  '10 000 people, 1.000.000': 'ten thousand people one million',
  '5M users and 10k followers': 'five million users and ten thousand followers',
});

testVerbalizations('measures as attributes', {
  'a 3 x 4 m room': 'a three by four meter room',
  'a 90° angle': 'a ninety degree angle',
  'a 27" monitor': 'a twenty seven inch monitor',
  '2 ½ in.': 'two and a half inches',
  '3 m/s²': 'three meters per second squared',
});

testVerbalizations('names, titles and citations', {
  'Roe v. Wade': 'Roe versus Wade',
  'Smith et al. (2019) found': 'Smith et al twenty nineteen found',
  'Drs. Smith and Jones': 'doctors Smith and Jones',
  'Martin Luther King Jr was': 'Martin Luther King junior was',
  'Mk. II': 'mark two',
  'a B.A. in art': 'a B A in art',
  'mind your Ps and Qs': 'mind your peas and cues',
  "MySQL and OpenAI's": 'My S Q L and Open A eyes',
  'YouTube and getUserName': 'YouTube and get User Name',
  'the UN, WHO and IMF': 'the U N W H O and I M F',
  'WOW!': 'wow',
});

testVerbalizations('network addresses and file names', {
  'http://example.org/search?q=hello+world':
    'example dot org slash search question mark Q equals hello plus world',
  'Jane Doe <jane@example.com>': 'Jane Doe jane at example dot com',
  'https://youtu.be/dQw4w9Wg': 'youtu dot B E slash D Q W four W nine W G',
  'and/or/not': 'and or not',
  'localhost:8080': 'localhost colon eighty eighty',
  '/usr/local/bin': 'slash U S R slash local slash bin',
  'README.md, notes.txt and package.json': 'readme dot M D notes dot text and package dot json',
  '#2024goals': 'hashtag twenty twenty four goals',
});

testVerbalizations('keys in British English', { 'press # or *': 'press hash or star' }, 'en-GB');
