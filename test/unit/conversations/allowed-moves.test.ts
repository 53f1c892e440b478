import { expect, test } from 'vitest';
import {
  decide,
  isTerminal,
  type Move,
  TRANSITIONS,
} from '../../../src/features/conversations/allowed-moves.ts';
import {
  CONVERSATION_STATUSES,
  type ConversationStatus,
} from '../../../src/features/conversations/conversations.types.ts';

type Decision = ReturnType<typeof decide>;

/** The specification's table, written out: every status and every move. */
const DECISIONS: Record<ConversationStatus, Record<Move, Decision>> = {
  active: { requestHandoff: 'moves', end: 'moves', convert: 'moves', close: 'moves' },
  handed_off: { requestHandoff: 'repeats', end: 'moves', convert: 'moves', close: 'moves' },
  ended: { requestHandoff: 'conflicts', end: 'repeats', convert: 'conflicts', close: 'moves' },
  converted: { requestHandoff: 'conflicts', end: 'conflicts', convert: 'repeats', close: 'moves' },
  closed: { requestHandoff: 'conflicts', end: 'conflicts', convert: 'conflicts', close: 'repeats' },
};

const TARGETS: Record<Move, ConversationStatus> = {
  requestHandoff: 'handed_off',
  end: 'ended',
  convert: 'converted',
  close: 'closed',
};

const MOVES = Object.keys(TRANSITIONS) as Move[];

test('the table has every status and every transition', () => {
  expect(Object.keys(DECISIONS)).toEqual([...CONVERSATION_STATUSES]);
  expect(Object.keys(TARGETS)).toEqual(MOVES);
  for (const decisions of Object.values(DECISIONS)) expect(Object.keys(decisions)).toEqual(MOVES);
});

test.each(CONVERSATION_STATUSES.flatMap((status) => MOVES.map((move) => [status, move] as const)))(
  'a conversation that is %s: %s',
  (status, move) => {
    expect(decide(move, status)).toBe(DECISIONS[status][move]);
  },
);

test.each(MOVES)('%s leads to its status', (move) => {
  expect(TRANSITIONS[move].to).toBe(TARGETS[move]);
});

test.each([
  ['active', false],
  ['handed_off', false],
  ['ended', true],
  ['converted', true],
  ['closed', true],
] as const)('%s is terminal: %s', (status, expected) => {
  expect(isTerminal(status)).toBe(expected);
});
