/// The completion of a path by Tab: as in a shell, the text that all fitting names have in common.
package struct PathCompletion: Hashable, Sendable {
  /// The path before the cursor, to complete.
  package struct Request: Hashable, Sendable {
    /// The path as typed.
    package var path: String
    /// A Boolean value that indicates whether only folders fit.
    var wantsFolder: Bool
    /// Distinguishes two requests about the same path.
    var number: Int

    /// The path up to its last slash: the folder whose names fit. It is empty for the current folder.
    package var folder: String {
      path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
  }

  /// A name in the request's folder.
  package struct Entry: Hashable, Sendable {
    var name: String
    var isFolder: Bool
    /// A Boolean value that indicates whether the file can be played. Other files fit only if no film does.
    var isFilm: Bool

    package init(name: String, isFolder: Bool, isFilm: Bool) {
      self.name = name
      self.isFolder = isFolder
      self.isFilm = isFilm
    }
  }

  let request: Request
  /// The completed path.
  let path: String
  /// The names that fit, folders with a slash.
  let candidates: [String]

  /// Completes a path, from the names in its folder in the order to show.
  package init(_ request: Request, in entries: [Entry]) {
    self.request = request
    let begun = request.path.dropFirst(request.folder.count)
    guard request.path != "~" else {
      (path, candidates) = ("~/", [])
      return
    }
    let shown = entries.filter { entry in
      (entry.isFolder || !request.wantsFolder)
        && (begun.hasPrefix(".") || !entry.name.hasPrefix("."))
    }
    var fitting = shown.filter { $0.name.hasPrefix(begun) }
    if fitting.isEmpty {
      fitting = shown.filter { $0.name.lowercased().hasPrefix(begun.lowercased()) }
    }
    let films = fitting.filter { $0.isFolder || $0.isFilm }
    candidates = (films.isEmpty ? fitting : films).map { $0.name + ($0.isFolder ? "/" : "") }
    let common = candidates.dropFirst().reduce(candidates.first ?? "") { common, name in
      String(zip(common, name).prefix { $0 == $1 }.map(\.0))
    }
    path = request.folder + (common.count < begun.count ? String(begun) : common)
  }
}
