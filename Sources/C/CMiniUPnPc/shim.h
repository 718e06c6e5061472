#pragma once
#include <miniupnpc/miniupnpc.h>
#include <miniupnpc/upnpcommands.h>
#include <miniupnpc/upnperrors.h>

/// `UPNP_GetValidIGD` asks for the router's outer address too from version 2.2.8 (API 18) on, and
/// numbers its answers anew: there 2 is a router whose outer address is not public, 3 one that is not
/// connected and 4 no router at all; before, 2 is one that is not connected and 3 no router at all.
/// Returns 1 for a router, whatever its outer address, and 0 for none. In either case `urls` has to be
/// freed if it is not zero.
static inline int cminiupnpc_find_router(struct UPNPDev *devices, struct UPNPUrls *urls,
                                         struct IGDdatas *data, char *lan_address,
                                         int lan_address_size) {
#if MINIUPNPC_API_VERSION >= 18
  char wan_address[64] = "";
  int found = UPNP_GetValidIGD(devices, urls, data, lan_address, lan_address_size, wan_address,
                               (int)sizeof wan_address);
  return found >= 1 && found <= 3;
#else
  int found = UPNP_GetValidIGD(devices, urls, data, lan_address, lan_address_size);
  return found == 1 || found == 2;
#endif
}
