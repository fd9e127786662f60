import { ApiError } from '../../errors.ts';
import {
  type SsmlOptions,
  type TextToPiecesOptions,
  textToPiecesInSteps,
} from '../../text/front-end/text-to-pieces.ts';
import { findCueNames } from '../../text/markup/cues.ts';
import { findMarkupProblem } from '../../text/markup/markup-problem.ts';
import { hasSpeech } from '../../text/normalise/script.ts';
import type { Boundary, Piece } from '../../text/piece.ts';
import { splitDialogueTurns } from '../../text/pieces/dialogue-turns.ts';
import { languageOfTag } from '../../text/ssml/build-ssml-phrases.ts';
import { inspectSsml, type SsmlSummary } from '../../text/ssml/inspect-ssml.ts';
import { SsmlError } from '../../text/ssml/ssml-error.ts';
import { isSsml, type SsmlLimits } from '../../text/ssml/ssml-events.ts';
import { CueScope, type SilenceLimits } from './acting/cue-scope.ts';
import type { DirectedRange } from './acting/directed-range.ts';
import { hasVocalSound } from './acting/has-vocal-sound.ts';
import { chooseFirstSentenceLengths } from './choose-piece-lengths.ts';
import type { PlannedPiece } from './piece-synthesizer.ts';
import { TimeSlice } from './time-slice.ts';
import { toPiecePlan, type VoiceAssigner, type VoiceAssignment } from './voice-assigner.ts';

/** A part of the client's text, and its UTF-16 offset. */
export interface SourceText {
  readonly text: string;
  readonly start: number;
}

/** The text of one dialogue turn with its voice assignment. */
export interface PlannedTurn {
  readonly source: SourceText;
  readonly assignment: VoiceAssignment;
  readonly speaker: number | undefined;
  /** Set if the text is SSML. */
  readonly ssml?: SsmlOptions;
  /** Assignments of other voices that SSML uses within the turn. */
  readonly otherAssignments?: readonly VoiceAssignment[];
}

/** Limits of the text of a request. */
export interface TextLimits extends SsmlLimits, SilenceLimits {
  /** Maximum number of cues. */
  readonly cuesMax: number;
}

/**
 * The turns of the complete text of a request, in time proportional to its length. Throws an `ApiError` for everything
 * that can be rejected without an engine. Yields after each search of the complete text and after each turn, so that the
 * work can be sliced.
 */
export function* planTextInSteps(
  text: string,
  assigner: VoiceAssigner,
  limits: TextLimits,
): Generator<undefined, PlannedTurn[]> {
  assertCueCount(text, limits);
  yield;
  if (isSsml(text)) return [planSsml(text, assigner, limits)];
  if (text !== '' && !hasSpeech(text) && !hasVocalSound(text)) throw createNothingToSpeakError();
  yield;
  const source = { text, start: 0 };
  return text === ''
    ? [{ source, assignment: assigner.assign('', undefined), speaker: undefined }]
    : yield* planTurnsInSteps(source, assigner);
}

/** Throws `too_many_cues`. */
export function assertCueCount(text: string, { cuesMax }: Pick<TextLimits, 'cuesMax'>): void {
  let count = 0;
  for (const _ of findCueNames(text, 'both')) {
    if (++count > cuesMax)
      throw new ApiError('too_many_cues', `The text contains more than ${cuesMax} cues.`);
  }
}

/**
 * Splits a text into dialogue turns and assigns their voices. `speaker` is the speaker before the first tag. Throws an
 * `ApiError` for text that cannot be synthesized. Yields after each turn.
 */
export function* planTurnsInSteps(
  source: SourceText,
  assigner: VoiceAssigner,
  speaker?: number,
): Generator<undefined, PlannedTurn[]> {
  const planned: PlannedTurn[] = [];
  for (const turn of splitDialogueTurns(source.text)) {
    const text = source.text.slice(turn.start, turn.end);
    const turnSpeaker = turn.speaker ?? speaker;
    const assignment = assigner.assign(text, turnSpeaker);
    const problem = findMarkupProblem(text, assignment.language);
    if (problem) throw new ApiError('invalid_phonemes', problem.message);
    planned.push({ source: { text, start: source.start + turn.start }, assignment, speaker: turnSpeaker });
    yield;
  }
  return planned;
}

/** Assigns the voices of an SSML text. Throws an `ApiError` for invalid SSML and for text that cannot be synthesized. */
export function planSsml(text: string, assigner: VoiceAssigner, limits: SsmlLimits): PlannedTurn {
  const summary = inspectSpeakableSsml(text, limits);
  const assignment = assigner.assign(summary.sample, undefined, summary.language);
  const otherAssignments = summary.scopes.map(({ voice, language: tag }) => {
    const defaultLanguage =
      (voice === undefined ? undefined : assigner.voiceLanguage(voice)) ?? assignment.language;
    const language = tag === undefined ? defaultLanguage : languageOfTag(tag, defaultLanguage);
    return assigner.assignPiece(assignment, { language, ...(voice !== undefined && { voice }) });
  });
  const ssml = { limits, languageOfVoice: (name: string) => assigner.voiceLanguage(name) };
  return { source: { text, start: 0 }, assignment, speaker: undefined, ssml, otherAssignments };
}

function inspectSpeakableSsml(text: string, limits: SsmlLimits): SsmlSummary {
  try {
    const summary = inspectSsml(text, limits);
    if (summary.hasSpeech) return summary;
  } catch (error) {
    throw error instanceof SsmlError ? new ApiError('invalid_ssml', `${error.message}.`) : error;
  }
  throw createNothingToSpeakError();
}

export function createNothingToSpeakError(): ApiError {
  return new ApiError('nothing_to_speak', 'The text has nothing to speak: it contains no letter or digit.');
}

/** State across turns: the number of pieces, and the active cues. */
export class PlanningState {
  pieces = 0;
  readonly cues: CueScope;
  readonly slice: TimeSlice;

  /** `owner` is the account that the work is for. */
  constructor(owner: string, limits: SilenceLimits, directions?: readonly DirectedRange[]) {
    this.slice = new TimeSlice(owner);
    this.cues = new CueScope(limits, directions);
  }
}

/** The pieces of a turn, lazily, with offsets into the complete text. `finalBoundary` is the turn's last boundary. */
export async function* planPieces(
  turn: PlannedTurn,
  options: Omit<TextToPiecesOptions, 'language' | 'finalBoundary'> & {
    readonly assigner: VoiceAssigner;
    readonly state: PlanningState;
    readonly finalBoundary: Boundary;
  },
): AsyncGenerator<PlannedPiece> {
  const { source, assignment, speaker, ssml } = turn;
  const { assigner, state } = options;
  const firstSentenceLengths = chooseFirstSentenceLengths(assignment, options);
  const { language } = assignment;
  const steps = textToPiecesInSteps(source.text, { language, ...options, firstSentenceLengths, ssml });
  if (state.slice.isOver) await state.slice.next();
  for (const piece of steps) {
    if (piece === undefined) {
      if (state.slice.isOver) await state.slice.next();
      continue;
    }
    const placed = placePiece(piece, { index: state.pieces++, offset: source.start, speaker });
    const acting = state.cues.act(placed);
    const plan = toPiecePlan(assigner.assignPiece(assignment, placed));
    yield { piece: acting === undefined ? placed : { ...placed, acting }, plan, source };
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
