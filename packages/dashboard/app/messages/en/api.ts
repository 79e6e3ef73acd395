export const unreachable = 'The server could not be reached. Check your connection.';
export const invalidReply = 'The reply of the server is not valid.';
