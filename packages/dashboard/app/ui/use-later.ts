import { useEffect, useState } from 'preact/hooks';

/**
 * Returns false at first, and true in a later task. The heavy parts of a page use it, so that the browser can respond
 * between them.
 */
export function useLater(): boolean {
  const [isLater, setIsLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLater(true));
    return () => clearTimeout(timer);
  }, []);
  return isLater;
}
