import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NavigationItem } from './navigation.ts';

export function useIsActive(to: string): boolean {
  const { pathname } = useLocation();
  return to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
}

/** A link to a page. A page with its own policy is loaded as a document, in both directions. */
export function NavLink({
  item,
  className,
  onClick,
  children,
}: {
  readonly item: NavigationItem;
  readonly className: string;
  readonly onClick?: () => void;
  readonly children: ReactNode;
}) {
  const isActive = useIsActive(item.to);
  const { pathname } = useLocation();
  const current = isActive ? ({ 'aria-current': 'page' } as const) : {};
  if (item.isDocument || pathname === '/talk') {
    return (
      <a href={item.to} className={className} {...current} onClick={onClick}>
        {children}
      </a>
    );
  }
  return (
    <Link to={item.to} className={className} {...current} {...(onClick && { onClick })}>
      {children}
    </Link>
  );
}
