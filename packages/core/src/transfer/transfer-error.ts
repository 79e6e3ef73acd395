/** An export or import that cannot be done. The message says what to do. Nothing was changed. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
