import { generateKeyPairSync, sign } from 'node:crypto';

const der = (tag: number, ...parts: readonly Uint8Array[]) => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const hex = (text: string) => Buffer.from(text, 'hex');
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const time = (text: string) => der(0x17, Buffer.from(text));

const ECDSA_WITH_SHA256 = sequence(hex('06082a8648ce3d040302'));

/** Creates a self-signed certificate. The client must either trust it or ignore certificate errors. */
export function selfSignedCertificate(host = 'affkit test'): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from(host)))));
  const version1Body = sequence(
    der(0x02, hex('01')),
    ECDSA_WITH_SHA256,
    name,
    sequence(time('240101000000Z'), time('490101000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', version1Body, privateKey);
  const certificate = sequence(version1Body, ECDSA_WITH_SHA256, der(0x03, hex('00'), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}
