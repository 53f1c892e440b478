import type { Identity } from '../features/conversations/conversations.types.ts';
import type { Random } from './seeded-random.ts';

/** A visitor of the demo tenant's website. */
export interface Visitor {
  visitorId: string;
  identity: Identity & { firstName: string; company: string; email: string };
  /** Size of the visitor's team, for questions about prices. */
  seats: number;
}

const FIRST_NAMES = [
  ...['Maya', 'Jonas', 'Priya', 'Tomás', 'Ingrid', 'Kwame', 'Elena', 'Hiroshi', 'Amélie', 'Daniel'],
  ...['Zofia', 'Omar', 'Grace', 'Luca', 'Freya', 'Arjun', 'Nadia', 'Marcus', 'Chloe', 'Piotr'],
  ...['Yusuf', 'Hanna', 'Mateo', 'Sofia', 'Ruth', 'Tariq', 'Linnea', 'Ben', 'Aisha', 'Viktor'],
];
const LAST_NAMES = [
  ...[
    'Okafor',
    'Lindqvist',
    'Raman',
    'Herrera',
    'Solberg',
    'Mensah',
    'Petrova',
    'Tanaka',
    'Laurent',
    'Brooks',
  ],
  ...[
    'Nowak',
    'Haddad',
    'Whitfield',
    'Moretti',
    'Larsen',
    'Mehta',
    'Rahimi',
    'Fischer',
    'Dubois',
    'Zielinski',
  ],
  ...[
    'Demir',
    'Virtanen',
    'Castillo',
    'Almeida',
    'Goldberg',
    'Siddiqui',
    'Ekström',
    'Carter',
    'Bello',
    'Horvat',
  ],
];
const COMPANIES = [
  ...['Bluepeak Logistics', 'Harbour Dental', 'Alder & Finch', 'Northgate Plumbing', 'Solera Energy'],
  ...[
    'Brightwater Clinics',
    'Kestrel Security',
    'Maple Street Bakery',
    'Orchard Home Care',
    'Fennel Catering',
  ],
  ...['Granite Roofing', 'Lumen Electric', 'Tern Coffee Roasters', 'Windmill Childcare', 'Copperfield Print'],
  ...[
    'Redwood Facilities',
    'Silverbirch Hotels',
    'Quayside Veterinary',
    'Juniper Landscapes',
    'Vantage Movers',
  ],
];
const JOB_TITLES = [
  ...['Head of Operations', 'Office Manager', 'Owner', 'Service Coordinator', 'IT Administrator'],
  ...['Finance Manager', 'Customer Care Lead', 'Managing Director', 'Procurement Specialist'],
];

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^\x20-\x7e]/g, '')
    .toLowerCase();

/** Yields visitors endlessly; no name repeats before all have occurred. Addresses are below `example.com` (RFC 2606). */
export function* visitors(random: Random): Generator<Visitor, never> {
  for (let n = 0; ; n += 1) {
    const firstName = FIRST_NAMES[n % FIRST_NAMES.length] ?? '';
    const lastName = LAST_NAMES[(n * 7 + Math.floor(n / FIRST_NAMES.length)) % LAST_NAMES.length] ?? '';
    const company = COMPANIES[Math.floor(random.between(0, COMPANIES.length))] ?? '';
    const domain = plain(company).replace(/[^a-z]+/g, '-');
    yield {
      visitorId: `v_${random.hex(8)}`,
      identity: {
        resolvedPersonId: `p_${1001 + n}`,
        company,
        firstName,
        lastName,
        jobTitle: JOB_TITLES[Math.floor(random.between(0, JOB_TITLES.length))] ?? null,
        email: `${plain(firstName)}.${plain(lastName)}@${domain}.example.com`,
      },
      seats: Math.round(random.between(4, 60)),
    };
  }
}
