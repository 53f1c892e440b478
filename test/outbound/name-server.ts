import { createSocket } from 'node:dgram';
import { onTestFinished } from 'vitest';

/** Result for a name: its IPv4 addresses, a response code (RFC 1035 section 4.1.1), or no response. */
export type NameServerAnswer = { a: string[]; ttl?: number } | { rcode: 'NXDOMAIN' | 'SERVFAIL' } | 'silence';

const RCODES = { NXDOMAIN: 3, SERVFAIL: 2 };
const TYPE_A = 1;
const HEADER_BYTES = 12;

/** A real name server on loopback, for A and AAAA; gives its `address:port` and the queries it was asked. */
export async function nameServer(
  answer: (name: string, type: 'A' | 'AAAA') => NameServerAnswer,
): Promise<{ address: string; queries: string[] }> {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    const { name, end } = questionOf(query);
    const type = query.readUInt16BE(end) === TYPE_A ? 'A' : 'AAAA';
    queries.push(`${type} ${name}`);
    const said = answer(name, type);
    if (said === 'silence') return;
    const records = 'a' in said && type === 'A' ? said.a.map((a) => record(a, said.ttl ?? 60)) : [];
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(0x8180 | ('rcode' in said ? RCODES[said.rcode] : 0), 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(
      Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...records]),
      peer.port,
      peer.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    socket.close();
  });
  return { address: `127.0.0.1:${socket.address().port}`, queries };
}

function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function record(address: string, ttl: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16BE(0xc000 | HEADER_BYTES, 0); // the name is that of the question
  bytes.writeUInt16BE(TYPE_A, 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt32BE(ttl, 6);
  bytes.writeUInt16BE(4, 10);
  Buffer.from(address.split('.').map(Number)).copy(bytes, 12);
  return bytes;
}
