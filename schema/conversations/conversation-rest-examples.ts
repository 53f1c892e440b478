/** Example bodies of the conversation routes, for their OpenAPI document. */

const AT = '2026-01-31T09:30:00.000Z';

export const CONVERSATION_EXAMPLE = {
  id: '665f1c2ab8e4d3a1f0c9b7e6',
  visitor_id: 'v_8f3a',
  status: 'converted',
  converted: true,
  goal: 'demo_booked',
  started_at: AT,
};

export const CONVERSATION_DETAIL_EXAMPLE = {
  ...CONVERSATION_EXAMPLE,
  ended_at: '2026-01-31T09:42:00.000Z',
  transcript: [{ id: '665f1c31b8e4d3a1f0c9b7e8', role: 'visitor', text: 'Can I book a demo?', sent_at: AT }],
  identity: {
    person_id: 'p_1024',
    email: 'ada@example.com',
    first_name: 'Ada',
    last_name: 'Byron',
    company: 'Example Ltd',
    job_title: 'Head of Operations',
  },
  conversion: {
    id: '665f1c9db8e4d3a1f0c9b801',
    type: 'demo_booked',
    goal: 'demo_booked',
    value: 250,
    recorded_at: AT,
  },
};
