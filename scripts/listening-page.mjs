// Writes a page for listening to clones: each recording beside two clones of it in random order, revealed by a click.
//   node scripts/listening-page.mjs --kit KIT --folder FOLDER      (after `measure-clones.mjs voices`)
// The page is FOLDER/listen.html; it needs no server. Answers can be copied from the end of the page.
import { copyFileSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const VARIANTS = { vits: 'vits', refined: 'kokoro-fast, refined' };

const { values } = parseArgs({ options: { kit: { type: 'string' }, folder: { type: 'string' } } });
if (!values.kit || !values.folder) throw new Error('Usage: listening-page.mjs --kit KIT --folder FOLDER');
const out = join(values.folder, 'out');
const recordings = findRecordings();
const speakers = [...recordings.keys()].filter((name) =>
  Object.keys(VARIANTS).every((variant) => existsSync(join(out, `${name}.${variant}.wav`))),
);
if (speakers.length === 0) throw new Error(`There are no clones in ${out}.`);
for (const name of speakers) copyFileSync(recordings.get(name), join(out, `${name}.reference.flac`));
const path = join(values.folder, 'listen.html');
writeFileSync(path, renderPage(speakers.map(toTrial)));
console.log(`${path}: ${speakers.length} speakers`);

/** The recording of each speaker that was cloned: the longest. */
function findRecordings() {
  const found = new Map();
  for (const folder of ['speech', 'refs']) {
    for (const file of readdirSync(join(values.kit, 'data', folder))) {
      if (!file.endsWith('.flac')) continue;
      const recording = join(values.kit, 'data', folder, file);
      const [name] = file.split('-');
      if (!found.has(name) || statSync(recording).size > statSync(found.get(name)).size) {
        found.set(name, recording);
      }
    }
  }
  return found;
}

function toTrial(name) {
  const variants = Object.keys(VARIANTS);
  if (Math.random() < 0.5) variants.reverse();
  return { name, variants };
}

function renderPage(trials) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Clones beside their recordings</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
  section { border-top: 1px solid #bbb; padding: 1rem 0; }
  audio { width: 100%; }
  .answer { color: #666; }
</style>
<h1>Clones beside their recordings</h1>
<p>Which of A and B sounds more like the person in the recording? The order is random. Choose before you reveal.</p>
${trials.map(renderTrial).join('\n')}
<h2>Answers</h2>
<pre id="answers"></pre>
<script>
  const answers = {};
  document.querySelectorAll('section').forEach((section) => {
    section.addEventListener('change', (event) => {
      answers[section.dataset.name] = event.target.value;
      document.getElementById('answers').textContent = Object.entries(answers).map((row) => row.join('\\t')).join('\\n');
      section.querySelector('.answer').textContent = section.dataset.answer;
    });
  });
</script>
</html>
`;
}

function renderTrial({ name, variants }, index) {
  const choices = variants.map((variant, place) => {
    const letter = 'AB'[place];
    return `<p><label><input type="radio" name="trial-${index}" value="${variant}"> ${letter}</label>
<audio controls preload="none" src="out/${name}.${variant}.wav"></audio></p>`;
  });
  const answer = variants.map((variant, place) => `${'AB'[place]}: ${VARIANTS[variant]}`).join(', ');
  return `<section data-name="${name}" data-answer="${answer}">
<h2>Speaker ${index + 1}</h2>
<p>Recording <audio controls preload="none" src="out/${name}.reference.flac"></audio></p>
${choices.join('\n')}
<p><label><input type="radio" name="trial-${index}" value="equal"> no difference</label></p>
<p class="answer"></p>
</section>`;
}
