import { ApiError } from '../../errors.ts';
import { findMarkupProblem } from '../../text/markup/markup-problem.ts';
import type { Boundary, Piece } from '../../text/piece.ts';
import { splitTurns } from '../../text/pieces/turns.ts';
import { type ReadTextOptions, readText, type SsmlReading } from '../../text/reading/read-text.ts';
import { SsmlError } from '../../text/ssml/ssml-error.ts';
import type { SsmlLimits } from '../../text/ssml/ssml-events.ts';
import { languageOfTag } from '../../text/ssml/ssml-phrases.ts';
import { type SsmlSurvey, surveySsml } from '../../text/ssml/survey-ssml.ts';
import { CueScope } from './acting/cue-scope.ts';
import { type Cast, type Role, toPiecePlan } from './cast.ts';
import type { PlannedPiece } from './piece-synthesizer.ts';

/** A part of the client's text, and where it stands in the whole. */
export interface SourceText {
  readonly text: string;
  readonly start: number;
}

/** One speaker's stretch of a text, with the role that says it. */
export interface CastTurn {
  readonly source: SourceText;
  readonly role: Role;
  readonly speaker: number | undefined;
  /** Set when the stretch is SSML. */
  readonly ssml?: SsmlReading;
  /** Everybody else who has a word in it. */
  readonly guests?: readonly Role[];
}

/** Parts a text into the turns of its speakers. `speaker` is who has the word at its start. Refuses what nobody can say. */
export function castTurns(source: SourceText, cast: Cast, speaker?: number): CastTurn[] {
  return splitTurns(source.text).map((turn) => {
    const text = source.text.slice(turn.start, turn.end);
    const saidBy = turn.speaker ?? speaker;
    const role = cast.role(text, saidBy);
    const problem = findMarkupProblem(text, role.language);
    if (problem) throw new ApiError('invalid_phonemes', problem.message);
    return { source: { text, start: source.start + turn.start }, role, speaker: saidBy };
  });
}

/** Gives an SSML text to its voices. Refuses what is no SSML and what nobody can say. */
export function castSsml(text: string, cast: Cast, limits: SsmlLimits): CastTurn {
  const survey = surveyed(text, limits);
  const role = cast.role(survey.sample, undefined, survey.language);
  const guests = survey.scopes.map(({ voice, language: tag }) => {
    const usual = (voice === undefined ? undefined : cast.voiceLanguage(voice)) ?? role.language;
    const language = tag === undefined ? usual : languageOfTag(tag, usual);
    return cast.pieceRole(role, { language, ...(voice !== undefined && { voice }) });
  });
  const ssml = { limits, languageOfVoice: (name: string) => cast.voiceLanguage(name) };
  return { source: { text, start: 0 }, role, speaker: undefined, ssml, guests };
}

function surveyed(text: string, limits: SsmlLimits): SsmlSurvey {
  try {
    const survey = surveySsml(text, limits);
    if (survey.hasSpeech) return survey;
  } catch (error) {
    throw error instanceof SsmlError ? new ApiError('invalid_ssml', `${error.message}.`) : error;
  }
  throw new ApiError('nothing_to_speak', 'The text has nothing to speak: it holds no letter or digit.');
}

/** What goes on from one turn to the next: the count of pieces, and the cues that are acted. */
export class ScriptProgress {
  pieces = 0;
  readonly cues = new CueScope();
}

/** The pieces of a turn, lazily, in places of the whole text. `ends` is what follows the turn. */
export function* readTurn(
  turn: CastTurn,
  options: Omit<ReadTextOptions, 'language' | 'ends'> & {
    readonly cast: Cast;
    readonly progress: ScriptProgress;
    readonly ends: Boundary;
  },
): Generator<PlannedPiece> {
  const { source, role, speaker, ssml } = turn;
  const { cast, progress } = options;
  for (const piece of readText(source.text, { language: role.language, ...options, ssml })) {
    const placed = placePiece(piece, { index: progress.pieces++, offset: source.start, speaker });
    const performance = progress.cues.perform(placed);
    const plan = toPiecePlan(cast.pieceRole(role, placed));
    yield { piece: performance === undefined ? placed : { ...placed, performance }, plan, source };
  }
}

function placePiece(
  piece: Piece,
  place: { readonly index: number; readonly offset: number; readonly speaker: number | undefined },
): Piece {
  const { index, offset } = place;
  const speaker = piece.speaker ?? place.speaker;
  const move = <Placed extends { readonly start: number; readonly end: number }>(placed: Placed): Placed =>
    offset === 0 ? placed : { ...placed, start: placed.start + offset, end: placed.end + offset };
  return {
    ...move(piece),
    index,
    words: offset === 0 ? piece.words : piece.words.map(move),
    cues: offset === 0 ? piece.cues : piece.cues.map(move),
    ...(speaker !== undefined && { speaker }),
  };
}
