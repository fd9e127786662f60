import { text } from 'node:stream/consumers';
import { S3Bucket, type S3Location } from '../../../src/infrastructure/files/s3-bucket.ts';

/**
 * Writes and reads an object of the bucket in the first argument, and prints its content or the code of the error. A
 * process of its own, because Node reads `NODE_EXTRA_CA_CERTS` when it starts.
 */
const location = JSON.parse(process.argv[2]!) as S3Location;
const bucket = new S3Bucket(location, { attemptsMax: 1 });
try {
  await bucket.put('greeting', Buffer.from('Hello.'));
  console.log(await text((await bucket.get('greeting'))!));
} catch (error) {
  console.log((error as { readonly code?: string }).code);
}
