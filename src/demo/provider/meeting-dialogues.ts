/** One turn of a dialogue. `{company}`, `{seats}` and similar placeholders are filled in. */
export interface Line {
  by: 'host' | 'guest';
  text: string;
}

/** Consecutive lines about one subject. */
type Topic = readonly Line[];

export interface Occasion {
  /** Frequency relative to the other occasions. */
  weight: number;
  title: string;
  minutes: readonly [low: number, high: number];
  topics: readonly Topic[];
  summary: string;
}

const host = (text: string): Line => ({ by: 'host', text });
const guest = (text: string): Line => ({ by: 'guest', text });

export const OPENING: Topic = [
  host('Good to see you, {firstName}. Can you hear me all right?'),
  guest('Loud and clear. Thanks for making the time.'),
  host('I am recording this, so that you can share it with your colleagues. Is that fine with you?'),
  guest('Sure, go ahead.'),
];

export const CLOSING: Topic = [
  host('Let me sum up what we have said, and I will send it to you in writing today.'),
  guest('Perfect. I will talk to the team and come back to you by {day}.'),
  host('Thank you, {firstName}. Have a good rest of the day!'),
  guest('You too. Bye!'),
];

const today: Topic = [
  host('How do you plan the shifts at {company} now?'),
  guest('In a spreadsheet that three people edit. We are {seats}, so it goes wrong about once a week.'),
  host('What happens when it goes wrong?'),
  guest('Someone stands in front of a closed door, or two people turn up for one shift.'),
];
const tour: Topic = [
  host('This is the week view. Every row is a person, and what is red breaks a rule of yours.'),
  guest('Can it tell me who could take over a shift?'),
  host('Yes: click it, and the free people with the right skills are at the top.'),
  guest('That alone would save me an hour a day.'),
];
const mobile: Topic = [
  guest('Most of our people have no computer at work. How do they see their plan?'),
  host('On their telephone. They can also offer a swap there, and you approve it with one tap.'),
  guest('And those who have an old telephone?'),
  host('They get a text message when something changes.'),
];
const payroll: Topic = [
  guest('We send the hours to our payroll office every month. Does Rota help with that?'),
  host('There is an export in their format, with night and Sunday hours in columns of their own.'),
  guest('Is that included?'),
  host('It is the one thing that costs extra: one euro a person and month.'),
];
const price: Topic = [
  guest('What would it come to for {seats} people?'),
  host('The Team plan is seven euros a person and month. Paid yearly you save two months.'),
  guest('Is there a minimum term?'),
  host('No. You can cancel to the end of any month, and take your data with you.'),
];
const discount: Topic = [
  guest('Our finance department will ask for a discount.'),
  host('For two years I can offer ten per cent. I would need a decision this month.'),
  guest('I will pass that on. It helps that it is in writing.'),
];
const security: Topic = [
  guest('Where is our data kept?'),
  host('In the European Union, in two data centres, encrypted. I will send you the audit report.'),
  guest('We also need a processing agreement.'),
  host('You can sign ours as it is, or send me yours and legal will look at it within a week.'),
];
const migration: Topic = [
  guest('How do we get our people and the old plans into it?'),
  host('Send me the spreadsheet, and we import it with you in the first call.'),
  guest('And if a name is in there twice?'),
  host('The import shows you those before it changes anything.'),
];
const training: Topic = [
  host('For the planners we do two sessions of an hour. The others need ten minutes with the app.'),
  guest('Can we have the sessions in the afternoon? Mornings are our busy time.'),
  host('Of course. Shall I book {day} at two?'),
  guest('{day} is good.'),
];
const usage: Topic = [
  host('You have planned nine weeks with Rota now, and swaps have doubled since the app came.'),
  guest('People like it. The planners say that they get fewer calls at night.'),
  host('Two teams have not started yet. Is there something in their way?'),
  guest('Their supervisor has left. The new one starts next month.'),
];
const wishes: Topic = [
  host('If you could change one thing, what would it be?'),
  guest('I would like to copy a week without its holidays. Now I take them out by hand.'),
  host('That is on our list for this quarter. I will tell you when you can try it.'),
];
const trouble: Topic = [
  guest('The reminders came twice last week, and some came at three in the morning.'),
  host('I have looked into it. One location had the wrong time zone; that is put right.'),
  guest('Could you look at the other locations as well?'),
  host('I have. They are fine, and the settings page warns of it from now on.'),
];

export const OCCASIONS: readonly [Occasion, ...Occasion[]] = [
  {
    weight: 34,
    title: 'Rota demo: {company}',
    minutes: [10, 18],
    topics: [today, tour, mobile, payroll, price],
    summary:
      '{company} plans {seats} people in a spreadsheet today. Shown: week view, swaps in the app, payroll export. They liked the list of who can take over. Next step: answer by {day}.',
  },
  {
    weight: 20,
    title: 'Pricing and contract with {company}',
    minutes: [8, 14],
    topics: [price, discount, payroll, security],
    summary:
      '{company} asks for an offer for {seats} people. Ten per cent were offered for two years. Open: processing agreement, audit report. Decision by {day}.',
  },
  {
    weight: 18,
    title: 'Onboarding {company}',
    minutes: [12, 20],
    topics: [migration, tour, training, mobile],
    summary:
      'Kick-off with {company}: the spreadsheet is imported together, planners are trained in two sessions, the first on {day}.',
  },
  {
    weight: 16,
    title: '{company}: quarterly review',
    minutes: [10, 16],
    topics: [usage, wishes, trouble, discount],
    summary:
      '{company} uses Rota in most teams; swaps have doubled. Two teams wait for a new supervisor. Wish: copy a week without holidays.',
  },
  {
    weight: 12,
    title: 'Security questions of {company}',
    minutes: [8, 14],
    topics: [security, migration, payroll],
    summary:
      '{company} needs the audit report and a processing agreement before {seats} people can be brought in. Legal answers within a week.',
  },
];
