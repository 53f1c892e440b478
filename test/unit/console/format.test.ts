import { expect, test } from 'vitest';
import { mailAddress } from '../../../src/console/format.ts';

test.each([
  ['ann@example.com', 'mailto:ann@example.com'],
  ['ann+chat@example.com', 'mailto:ann%2Bchat@example.com'],
  [
    'ann@example.com?bcc=eve@evil.example&body=x',
    'mailto:ann@example.com%3Fbcc%3Deve@evil.example%26body%3Dx',
  ],
  ['ann@example.com,eve@evil.example', 'mailto:ann@example.com%2Ceve@evil.example'],
  ['a%0Ab@example.com', 'mailto:a%250Ab@example.com'],
])('the mail address of %s adds no other header', (email, address) => {
  expect(mailAddress(email)).toBe(address);
  expect(new URL(address).search).toBe('');
});
