import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage, detectTextLanguage } from './detect-language.ts';
import type { DetectedLanguage } from './function-words.ts';

const SENTENCES: Readonly<Record<DetectedLanguage, readonly string[]>> = {
  en: [
    'The train to the coast leaves in a quarter of an hour.',
    'Could you please send me the report before Friday?',
    'My grandmother planted those roses forty years ago.',
    'El Niño changes the weather of the whole Pacific.',
    'The menu offers crème brûlée and pasta al forno.',
    'She flew from San Francisco to Rio de Janeiro.',
    'Stop it right now, please.',
    'Schadenfreude is a German word that has no translation.',
    'We met Jean-Pierre and Giulia at the conference.',
  ],
  es: [
    'El tren hacia la costa sale dentro de un cuarto de hora.',
    'Mi abuela plantó esas rosas hace cuarenta años.',
    'No sé dónde he dejado las llaves del coche.',
  ],
  fr: [
    'Le train pour la côte part dans un quart d’heure.',
    'Ma grand-mère a planté ces roses il y a quarante ans.',
    'Je ne sais pas où j’ai laissé les clés de la voiture.',
  ],
  it: [
    'Il treno per la costa parte tra un quarto d’ora.',
    'Mia nonna ha piantato quelle rose quarant’anni fa.',
    'Non so dove ho lasciato le chiavi della macchina.',
  ],
  pt: [
    'O trem para o litoral sai em um quarto de hora.',
    'Minha avó plantou essas rosas há quarenta anos.',
    'Não sei onde deixei as chaves do carro.',
  ],
  de: [
    'Der Zug an die Küste fährt in einer Viertelstunde.',
    'Meine Großmutter hat diese Rosen vor vierzig Jahren gepflanzt.',
    'Ich weiß nicht, wo ich die Schlüssel gelassen habe.',
  ],
};

for (const [language, sentences] of Object.entries(SENTENCES)) {
  test(`sentences in "${language}"`, () => {
    for (const sentence of sentences) assert.equal(detectLanguage(sentence), language, sentence);
  });
}

test('foreign names in an English sentence do not make it a sentence of another language', () => {
  for (const sentence of [
    'Los Angeles and Las Vegas are four hours apart.',
    'Join the response team on East Timor and in El Salvador.',
    'Monsieur Dupont, Signora Rossi and Herr Schmidt arrived.',
    'International Trade Centre, Geneva.',
  ])
    assert.ok([undefined, 'en'].includes(detectLanguage(sentence)), sentence);
});

test('a short text and a text without words have no detected language', () => {
  assert.equal(detectLanguage('Hola'), undefined);
  assert.equal(detectLanguage('12345 67890 12345 67890'), undefined);
  assert.equal(detectTextLanguage(''), undefined);
});

test('a text in several languages has no detected language', () => {
  assert.equal(
    detectTextLanguage('She looked at him for a long time. «No sé qué decir en este momento», dijo él.'),
    undefined,
  );
});

test('the cost of a long text is bounded', () => {
  const started = process.cpuUsage();
  detectTextLanguage('palabra '.repeat(500_000));
  detectTextLanguage('.'.repeat(500_000));
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});
