#define _GNU_SOURCE
#include "CImports.h"

#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Returns whether a relocation holds the address of an imported function (the ABI supplement of each architecture).
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
  struct import *imports;
  size_t count;
};

static bool replace(const struct dl_phdr_info *info, uintptr_t slot, void *function) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = slot & ~(page - 1);
  // The loader makes the table read-only after filling it in (RELRO).
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
    for (size_t k = 0; k < search->count; k++)
      if (search->imports[k].replacement && strcmp(name, search->imports[k].name) == 0)
        search->imports[k].is_replaced |= replace(info, slot, search->imports[k].replacement);
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

void replace_imports(const char *library, struct import *imports, size_t count) {
  struct search search = {library, imports, count};
  dl_iterate_phdr(search_library, &search);
}
