import type { MessageRole, Urgency } from '../features/conversations/conversations.types.ts';

/** One step of a conversation. */
export type Step =
  /** A message with one of these texts. `{seats}` and similar placeholders are filled in. */
  | { type: 'say'; role: MessageRole; texts: readonly [string, ...string[]] }
  | { type: 'identify' }
  /** A conversion, worth `value` plus `perSeat` for each person in the visitor's team. */
  | { type: 'convert'; goal: string; value: number; perSeat?: number; closes?: boolean }
  | { type: 'handOff'; schemaName: string; urgency: Urgency; reason: string }
  | { type: 'close' };

/** The course of a conversation. If no step ends the conversation, the visitor leaves. */
export interface ConversationScript {
  /** Frequency relative to the other scripts. */
  weight: number;
  goal: string | null;
  /** Probability that the visitor leaves before the end. */
  dropOut: number;
  /** Outcome categories that a reviewer may choose. */
  outcomes: readonly [string, ...string[]];
  steps: readonly Step[];
}

const visitor = (...texts: [string, ...string[]]): Step => ({ type: 'say', role: 'visitor', texts });
const bot = (...texts: [string, ...string[]]): Step => ({ type: 'say', role: 'bot', texts });
const operator = (...texts: [string, ...string[]]): Step => ({ type: 'say', role: 'operator', texts });
const identify: Step = { type: 'identify' };
const close: Step = { type: 'close' };

const bookDemo: ConversationScript = {
  weight: 30,
  goal: 'demo_booked',
  dropOut: 0.35,
  outcomes: ['qualified', 'sales_ready', 'nurture'],
  steps: [
    visitor(
      'Hi, can I see a demo of Rota?',
      'Hello! We are looking for a new scheduling tool. Do you do demos?',
      'A colleague told me about you. Could someone show us around?',
    ),
    bot('Happy to arrange that! How many people plan or do shifts in your team?'),
    visitor('About {seats}.', 'We are {seats} at {company}.', '{seats}, most of them out on the road.'),
    bot('Thanks. Which e-mail address may I send the invitation to?'),
    visitor('{email}', 'Please use {email}'),
    identify,
    bot(
      'Thank you, {firstName}. Would {day} at {time} suit you?',
      'Got it, {firstName}. The next free slot is {day} at {time}: shall I take it?',
    ),
    visitor('{day} works, thanks!', 'Yes, perfect.', 'That suits us well.'),
    bot('Booked: {day}, {time}. The invitation is on its way to {email}.'),
    { type: 'convert', goal: 'demo_booked', value: 250, closes: true },
  ],
};

const askPrice: ConversationScript = {
  weight: 20,
  goal: 'pricing',
  dropOut: 0.25,
  outcomes: ['nurture', 'qualified', 'unqualified'],
  steps: [
    visitor(
      'How much is Rota for {seats} people?',
      'What does it cost? We have {seats} employees.',
      'Is there a discount if we pay yearly? We would need {seats} seats.',
    ),
    bot(
      'The Team plan is €7 a person and month, so €{monthly} for {seats}. Paid yearly you save two months.',
    ),
    visitor('And is there a minimum term?', 'Does that include the mobile app?', 'OK. What is not included?'),
    bot(
      'You can cancel to the end of any month, and the mobile app is included. Only the payroll export is extra.',
    ),
    visitor('Good to know, thank you.', 'Thanks, I will talk to my boss.', 'That is what I needed.'),
  ],
};

const startTrial: ConversationScript = {
  weight: 16,
  goal: 'trial_started',
  dropOut: 0.3,
  outcomes: ['qualified', 'nurture'],
  steps: [
    visitor('Can I try it before I pay?', 'Do you have a free trial?', 'How do I start the trial?'),
    bot('Yes: 14 days, everything included, no card needed. Shall I set one up for you?'),
    visitor('Yes please, for {email}', 'Sure. My address is {email}', '{email}'),
    identify,
    bot('Done, {firstName}! The link is in your inbox. Shall I fill it with a sample week?'),
    visitor('That would help.', 'No need, I will import ours.', 'Yes, thanks!'),
    { type: 'convert', goal: 'trial_started', value: 0, perSeat: 7 },
    bot('All right. I am here whenever you have a question.'),
  ],
};

const integration: ConversationScript = {
  weight: 12,
  goal: null,
  dropOut: 0.15,
  outcomes: ['nurture', 'support'],
  steps: [
    visitor(
      'Does Rota sync with our calendars?',
      'Is there a webhook when a shift changes?',
      'Can we get the hours into our payroll system?',
    ),
    bot(
      'It does: calendars, webhooks and a CSV export are part of every plan. Settings → Integrations has them all.',
    ),
    visitor('Found it, thanks.', 'And does it work both ways?', 'Is there documentation?'),
    bot('Changes go both ways within a minute; the guide is linked at the top of that page.'),
    visitor('Great, that answers it.', 'Perfect.'),
  ],
};

const loginTrouble: ConversationScript = {
  weight: 18,
  goal: 'support',
  dropOut: 0,
  outcomes: ['support'],
  steps: [
    visitor(
      'I cannot log in any more.',
      'Single sign-on sends me back to the login page.',
      'Our planner is locked out since this morning!',
    ),
    bot('I am sorry about that. Which address do you sign in with?'),
    visitor('{email}'),
    identify,
    bot('Thanks, {firstName}. I can see the account, but not why it is refused. I am getting a colleague.'),
    { type: 'handOff', schemaName: 'support_ticket', urgency: 'high', reason: 'Login is refused' },
    operator(
      'Hi {firstName}, this is Sam from support. Your certificate has expired; I have renewed the link.',
    ),
    visitor('It works again. Thank you!', 'That did it, thanks Sam.'),
    operator('Glad to hear it. Have a good day!'),
    close,
  ],
};

const invoice: ConversationScript = {
  weight: 10,
  goal: 'support',
  dropOut: 0,
  outcomes: ['support', 'billing'],
  steps: [
    visitor('I need a copy of our last invoice.', 'Our VAT number is missing on the invoice.'),
    bot('I can have that corrected. Which address is the account under?'),
    visitor('{email}'),
    identify,
    {
      type: 'handOff',
      schemaName: 'billing_request',
      urgency: 'normal',
      reason: 'Invoice to be issued again',
    },
    operator('Hello {firstName}, the invoice has been issued again and is in your inbox.'),
    visitor('Received, thank you.', 'Thanks for the quick help.'),
    close,
  ],
};

const enterprise: ConversationScript = {
  weight: 12,
  goal: 'sales_call',
  dropOut: 0.1,
  outcomes: ['sales_ready', 'qualified'],
  steps: [
    visitor(
      'We are comparing vendors and need your security documents.',
      'Where is our data kept, and can we sign a processing agreement?',
      'Could I speak with someone about a contract for several sites?',
    ),
    bot('Of course. Who may I say is asking?'),
    visitor('I work for {company}. {email}'),
    identify,
    bot('Thank you, {firstName}. That is best answered by a person: one moment.'),
    {
      type: 'handOff',
      schemaName: 'sales_call',
      urgency: 'normal',
      reason: 'Contract and security questions',
    },
    operator(
      'Hi {firstName}, Alex here. Data stays in the EU; I am sending you the agreement and our audit report.',
    ),
    visitor('Great. Can we talk on {day}?', 'Sounds good. Would {day} at {time} work for a call?'),
    { type: 'convert', goal: 'sales_call', value: 900 },
    operator('With pleasure. I have put it in the calendar.', 'Any time. I have noted a call for {day}.'),
    close,
  ],
};

const complaint: ConversationScript = {
  weight: 5,
  goal: 'support',
  dropOut: 0,
  outcomes: ['at_risk', 'support'],
  steps: [
    visitor(
      'Two shifts disappeared from our plan. This is the second time!',
      'The app was down again. We want to cancel.',
    ),
    bot('That should not happen, and I am sorry. I am calling a person right now.'),
    { type: 'handOff', schemaName: 'support_ticket', urgency: 'urgent', reason: 'Upset customer' },
    operator('This is Sam. I have found what went wrong and restored everything. May I call you?'),
    visitor('Please do: {email} has my number.', 'OK. Thanks for reacting so fast.'),
    close,
  ],
};

const upgrade: ConversationScript = {
  weight: 7,
  goal: 'plan_upgraded',
  dropOut: 0.1,
  outcomes: ['customer'],
  steps: [
    visitor('We have grown: can we move to the Business plan?', 'How do I add ten seats?'),
    bot('Nice! I can do that here. Which account is it?'),
    visitor('{email}'),
    identify,
    bot('Found it, {firstName}: {company}, now {seats} seats. Shall I change it from today?'),
    visitor('Yes, go ahead.', 'Please do.'),
    bot('Done. The new invoice comes at the end of the month.'),
    { type: 'convert', goal: 'plan_upgraded', value: 0, perSeat: 144, closes: true },
  ],
};

const bounce: ConversationScript = {
  weight: 14,
  goal: null,
  dropOut: 0,
  outcomes: ['off_topic', 'unqualified'],
  steps: [
    visitor('hi', 'Are you a bot?', 'Do you have open positions?', 'test'),
    bot('Hello! I am the assistant of Rota. What can I do for you?'),
  ],
};

export const SCRIPTS: readonly [ConversationScript, ...ConversationScript[]] = [
  bookDemo,
  askPrice,
  startTrial,
  integration,
  loginTrouble,
  invoice,
  enterprise,
  complaint,
  upgrade,
  bounce,
];

/** Scripts with a hand-off to a person. */
export const HAND_OFF_SCRIPTS: readonly [ConversationScript, ...ConversationScript[]] = [
  loginTrouble,
  enterprise,
  invoice,
  complaint,
];
