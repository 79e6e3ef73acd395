import { useEffect, useState } from 'preact/hooks';

/**
 * Returns false at first, and true in a later task. Heavy parts of a page are rendered only then, so that the
 * browser can respond to input in between.
 */
export function useLater(): boolean {
  const [isLater, setIsLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLater(true));
    return () => clearTimeout(timer);
  }, []);
  return isLater;
}
