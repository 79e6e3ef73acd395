export const Welcome = () => null;
