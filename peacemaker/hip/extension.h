/* What the embedded device offers beyond HIP. A program finds it with dlsym; a card's library does not have it. */
#ifndef PEACEMAKER_HIP_EXTENSION_H
#define PEACEMAKER_HIP_EXTENSION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Findings, unsupported instructions, refused launches and fidelity counts of everything since the last report was
   taken, on every device and stream, as JSON (peacemaker/emu/report.h has the format) that ends with a NUL. Returns the
   bytes that the whole needs, its NUL included. Where `capacity` is at least that, `json` holds it and the device
   starts a new report; otherwise nothing is written and nothing is lost. `json` may be null when `capacity` is 0. */
size_t pmTakeReport(char* json, size_t capacity);

/* From now on a kernel's store to the allocation that holds `address`, whatever it stores, is a finding and changes
   nothing; `read_only` 0 takes that back. What the host writes is not concerned. Returns 0, or 1 (hipErrorInvalidValue)
   where no allocation holds the address. */
int pmSetReadOnly(const void* address, int read_only);

#ifdef __cplusplus
}
#endif

#endif
