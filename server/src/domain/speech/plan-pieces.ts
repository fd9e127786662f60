import { ApiError } from '../../errors.ts';
import { findMarkupProblem } from '../../text/markup/markup-problem.ts';
import type { Boundary, Piece } from '../../text/piece.ts';
import { splitDialogueTurns } from '../../text/pieces/dialogue-turns.ts';
import { type TextToPiecesOptions, textToPieces, type SsmlOptions } from '../../text/front-end/text-to-pieces.ts';
import { SsmlError } from '../../text/ssml/ssml-error.ts';
import type { SsmlLimits } from '../../text/ssml/ssml-events.ts';
import { languageOfTag } from '../../text/ssml/build-ssml-phrases.ts';
import { type SsmlSummary, inspectSsml } from '../../text/ssml/inspect-ssml.ts';
import { CueScope } from './acting/cue-scope.ts';
import { type VoiceAssigner, type VoiceAssignment, toPiecePlan } from './voice-assigner.ts';
import type { PlannedPiece } from './piece-synthesizer.ts';

/** A part of the client's text, and where it stands in the whole. */
export interface SourceText {
  readonly text: string;
  readonly start: number;
}

/** One speaker's stretch of a text, with the role that says it. */
export interface PlannedTurn {
  readonly source: SourceText;
  readonly role: VoiceAssignment;
  readonly speaker: number | undefined;
  /** Set when the stretch is SSML. */
  readonly ssml?: SsmlOptions;
  /** Everybody else who has a word in it. */
  readonly otherAssignments?: readonly VoiceAssignment[];
}

/** Parts a text into the turns of its speakers. `speaker` is who has the word at its start. Refuses what nobody can say. */
export function planTurns(source: SourceText, cast: VoiceAssigner, speaker?: number): PlannedTurn[] {
  return splitDialogueTurns(source.text).map((turn) => {
    const text = source.text.slice(turn.start, turn.end);
    const saidBy = turn.speaker ?? speaker;
    const role = cast.assign(text, saidBy);
    const problem = findMarkupProblem(text, role.language);
    if (problem) throw new ApiError('invalid_phonemes', problem.message);
    return { source: { text, start: source.start + turn.start }, role, speaker: saidBy };
  });
}

/** Gives an SSML text to its voices. Refuses what is no SSML and what nobody can say. */
export function planSsml(text: string, cast: VoiceAssigner, limits: SsmlLimits): PlannedTurn {
  const survey = inspectOrRefuse(text, limits);
  const role = cast.assign(survey.sample, undefined, survey.language);
  const otherAssignments = survey.scopes.map(({ voice, language: tag }) => {
    const usual = (voice === undefined ? undefined : cast.voiceLanguage(voice)) ?? role.language;
    const language = tag === undefined ? usual : languageOfTag(tag, usual);
    return cast.assignPiece(role, { language, ...(voice !== undefined && { voice }) });
  });
  const ssml = { limits, languageOfVoice: (name: string) => cast.voiceLanguage(name) };
  return { source: { text, start: 0 }, role, speaker: undefined, ssml, otherAssignments };
}

function inspectOrRefuse(text: string, limits: SsmlLimits): SsmlSummary {
  try {
    const survey = inspectSsml(text, limits);
    if (survey.hasSpeech) return survey;
  } catch (error) {
    throw error instanceof SsmlError ? new ApiError('invalid_ssml', `${error.message}.`) : error;
  }
  throw new ApiError('nothing_to_speak', 'The text has nothing to speak: it holds no letter or digit.');
}

/** What goes on from one turn to the next: the count of pieces, and the cues that are acted. */
export class PlanningState {
  pieces = 0;
  readonly cues = new CueScope();
}

/** The pieces of a turn, lazily, in places of the whole text. `ends` is what follows the turn. */
export function* planPieces(
  turn: PlannedTurn,
  options: Omit<TextToPiecesOptions, 'language' | 'ends'> & {
    readonly cast: VoiceAssigner;
    readonly progress: PlanningState;
    readonly ends: Boundary;
  },
): Generator<PlannedPiece> {
  const { source, role, speaker, ssml } = turn;
  const { cast, progress } = options;
  for (const piece of textToPieces(source.text, { language: role.language, ...options, ssml })) {
    const placed = placePiece(piece, { index: progress.pieces++, offset: source.start, speaker });
    const acting = progress.cues.act(placed);
    const plan = toPiecePlan(cast.assignPiece(role, placed));
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
