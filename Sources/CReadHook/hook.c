#define _GNU_SOURCE
#include "CReadHook.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static read_hook_filter filter;
static read_hook_closing closing;
// By name, so that this target needs no header of OpenSSL's.
static int (*ssl_read)(void *, void *, int);
static int (*ssl_get_fd)(const void *);

static ssize_t filtered_recv(int descriptor, void *buffer, size_t size, int flags) {
  ssize_t count = recv(descriptor, buffer, size, flags);
  if (count <= 0 || (flags & MSG_PEEK)) return count;
  if (filter(descriptor, buffer, (size_t)count)) return count;
  errno = EPROTO;
  return -1;
}

static int filtered_ssl_read(void *ssl, void *buffer, int size) {
  int count = ssl_read(ssl, buffer, size);
  if (count <= 0) return count;
  if (filter(ssl_get_fd(ssl), buffer, (size_t)count)) return count;
  errno = EPROTO;
  return -1;
}

static int filtered_close(int descriptor) {
  closing(descriptor);
  return close(descriptor);
}

// The relocations that hold an imported function's address (the ABI supplement of each architecture).
static bool holds_function(uint32_t type) {
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
#else
  return false;
#endif
}

struct search {
  const char *library;
  bool has_recv, has_close;
};

static bool replace(const struct dl_phdr_info *info, uintptr_t slot, void *function) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = slot & ~(page - 1);
  // The loader makes the table read-only once it is filled in (RELRO).
  bool is_read_only = false;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t first = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_RELRO && slot >= first && slot < first + header->p_memsz)
      is_read_only = true;
  }
  if (is_read_only && mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n((void **)slot, function, __ATOMIC_RELEASE);
  if (is_read_only) mprotect((void *)start, page, PROT_READ);
  return true;
}

static void search_table(
    struct search *search, const struct dl_phdr_info *info, const ElfW(Rela) *table, size_t size,
    const ElfW(Sym) *symbols, const char *names) {
  for (size_t i = 0; i < size / sizeof(ElfW(Rela)); i++) {
    if (!holds_function(ELF64_R_TYPE(table[i].r_info))) continue;
    const char *name = names + symbols[ELF64_R_SYM(table[i].r_info)].st_name;
    uintptr_t slot = info->dlpi_addr + table[i].r_offset;
    if (strcmp(name, "recv") == 0) search->has_recv |= replace(info, slot, filtered_recv);
    if (strcmp(name, "close") == 0) search->has_close |= replace(info, slot, filtered_close);
    if (strcmp(name, "SSL_read") == 0 && ssl_read && ssl_get_fd)
      replace(info, slot, filtered_ssl_read);
  }
}

static int search_library(struct dl_phdr_info *info, size_t size, void *closure) {
  (void)size;
  struct search *search = closure;
  if (!info->dlpi_name || !strstr(info->dlpi_name, search->library)) return 0;
  const ElfW(Dyn) *entry = NULL;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  if (!entry) return 0;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const ElfW(Rela) *jumps = NULL, *others = NULL;
  size_t jumps_size = 0, others_size = 0;
  for (; entry->d_tag != DT_NULL; entry++) switch (entry->d_tag) {
      case DT_SYMTAB: symbols = (const void *)entry->d_un.d_ptr; break;
      case DT_STRTAB: names = (const void *)entry->d_un.d_ptr; break;
      case DT_JMPREL: jumps = (const void *)entry->d_un.d_ptr; break;
      case DT_PLTRELSZ: jumps_size = entry->d_un.d_val; break;
      case DT_RELA: others = (const void *)entry->d_un.d_ptr; break;
      case DT_RELASZ: others_size = entry->d_un.d_val; break;
      default: break;
    }
  if (!symbols || !names) return 0;
  if (jumps) search_table(search, info, jumps, jumps_size, symbols, names);
  if (others) search_table(search, info, others, others_size, symbols, names);
  return 1;
}

bool read_hook_install(const char *library, read_hook_filter f, read_hook_closing c) {
  filter = f;
  closing = c;
  ssl_read = (int (*)(void *, void *, int))dlsym(RTLD_DEFAULT, "SSL_read");
  ssl_get_fd = (int (*)(const void *))dlsym(RTLD_DEFAULT, "SSL_get_fd");
  struct search search = {library, false, false};
  dl_iterate_phdr(search_library, &search);
  return search.has_recv && search.has_close;
}
