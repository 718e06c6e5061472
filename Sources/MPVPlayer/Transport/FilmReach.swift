/// The resources that a film may open besides itself. The name that the user gave decides, never the content. Subtitles
/// and sound beside a film are no part of this: mpv looks for them by the film's name.
enum FilmReach: Hashable, Sendable {
  /// None: a file with the name of a film, or any other name than those below.
  case nothing
  /// Files in its own folder: a playlist, an archive, a disc or a folder on this machine.
  case folder
  /// All: an address that the user named.
  case everything
  /// The resources that ``ForeignLimits`` allow: an address that another participant named.
  case foreign

  /// - Parameter isFolder: whether a local path leads to a folder.
  init(of location: String, isFolder: Bool, isForeign: Bool) {
    if isForeign {
      self = .foreign
    } else if case .local(let path) = LoadDiagnosis.kind(of: location) {
      let opensOthers = isFolder || Self.endings.contains(FileList.ending(of: path))
      self = opensOthers || FileList.isList(path) ? .folder : .nothing
    } else {
      self = .everything
    }
  }

  /// The endings of archives, and of the parts of a DVD or Blu-ray disc.
  private static let endings: Set = [
    "zip", "rar", "7z", "tar", "tgz", "gz", "bz2", "xz", "zst", "cab", "cbz", "cbr", "iso", "ifo",
    "bdmv",
  ]
}
