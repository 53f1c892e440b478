import type { ConversationStatus } from './conversations.types.ts';

interface Transition {
  from: readonly ConversationStatus[];
  to: ConversationStatus;
}

/**
 * The allowed moves of a conversation (contract 8). A move from a status that is not in `from` is a conflict. If the
 * conversation already has the status `to`, the move is a repetition, which changes nothing and publishes no event.
 */
export const TRANSITIONS = {
  requestHandoff: { from: ['active'], to: 'handed_off' },
  end: { from: ['active', 'handed_off'], to: 'ended' },
  convert: { from: ['active', 'handed_off'], to: 'converted' },
  close: { from: ['active', 'handed_off', 'ended', 'converted'], to: 'closed' },
} as const satisfies Record<string, Transition>;

export type Move = keyof typeof TRANSITIONS;

/** A conversation with one of these statuses accepts no messages. */
const TERMINAL_STATUSES = ['ended', 'converted', 'closed'] as const satisfies ConversationStatus[];
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

export const isTerminal = (status: ConversationStatus): status is TerminalStatus =>
  (TERMINAL_STATUSES as readonly ConversationStatus[]).includes(status);

/** Returns the effect of a move on a conversation with this status. */
export function decide(move: Move, status: ConversationStatus): 'moves' | 'repeats' | 'conflicts' {
  const { from, to }: Transition = TRANSITIONS[move];
  if (status === to) return 'repeats';
  return from.includes(status) ? 'moves' : 'conflicts';
}
