import Concurrency
import FileNames
import Foundation
import MediaLibrary
import Screening
import Timekeeping
import WatchTogether

/// Performs the effects on the memory of this program: media folders with their films, parties, people and trusted
/// servers.
@ScreeningActor
final class LibraryAdapter {
  /// The minimum interval between two reports about a scan.
  private static let progressInterval = Duration.milliseconds(500)
  /// More items than a reader would go through.
  private static let listLimit = 200

  private let memory: ForgivingLibrary
  private let events: EventBroadcast<ScreeningEvent>
  private let runner: LoopRunner
  /// The scanner of the media folders; nil if nothing is remembered.
  private let scanner: LibraryScanner?
  private var following: Task<Void, Never>?
  /// The search for a copy of the newest film.
  private var search: Task<FilmIdentity?, Never>?
  /// The task that writes the newest position, after all earlier ones.
  private var writing: Task<Void, Never>?

  init(memory: ForgivingLibrary, runner: LoopRunner, events: EventBroadcast<ScreeningEvent>) {
    self.memory = memory
    self.runner = runner
    self.events = events
    scanner = memory.library.map {
      LibraryScanner(library: $0) { path in (try? FilmIdentity(path))?.identifier }
    }
  }

  func close() {
    scanner?.stop()
    following?.cancel()
    search?.cancel()
  }

  /// Waits until all positions are written.
  func flush() async { await writing?.value }

  /// Reads the fingerprint of a film on a server; nil if it isn't one of these sizes, or can't be read.
  typealias Fingerprint = @ScreeningActor (FilmIdentity, Set<Int>?) async -> String?

  /// Returns the picture on the screen, as the contents of a file; nil without one.
  typealias Picture = @Sendable () async -> [UInt8]?

  func perform(
    _ order: LibraryOrder, picture: Picture = { nil },
    fingerprint: @escaping Fingerprint = { _, _ in nil }
  ) async throws -> EffectAnswer {
    switch order {
    case .perform(let command): return .notice(try await perform(command))
    case .findCopy(let number, let entry, let chooser, let named, let streams):
      search?.cancel()
      let search = Task { () -> FilmIdentity? in
        if let copy = await self.copy(of: entry.identifier) { return copy }
        if let copy = await self.copy(of: entry, beside: named.map(\.location)) { return copy }
        return await self.copy(of: entry, among: named, streams, fingerprint)
      }
      self.search = search
      let copy = await search.value
      let isFresh =
        copy == nil && named.contains { FilmIdentity.wasJustWritten($0.location) }
      return EffectAnswer([
        .film(.searched(number, entry, by: chooser, copy: copy, isFresh: isFresh))
      ])
    case .findMissing(let entry):
      guard let copy = await copy(of: entry.identifier) else { return .done }
      return EffectAnswer([.film(.copyFound(copy, entry: entry.id))])
    case .findBeside(let film):
      let films = await OwnedThread.run("library", atMost: .seconds(2)) {
        try? FilmShelf.films(in: FilmShelf.folder(of: film.location))
      }
      return EffectAnswer([.film(.foundBeside(film, (films ?? nil) ?? []))])
    case .findPosition(let film):
      return EffectAnswer([.film(.positionFound(film, await position(in: film.identifier)))])
    case .remember(let film, let note, let duration):
      let earlier = writing
      writing = Task {
        await earlier?.value
        await self.remember(film, note, duration)
      }
    case .rememberCopy(let film):
      guard let copy = film.ownIdentifier, let timeline = film.timeline else { return .done }
      await memory.use {
        try await $0.remember(copy: copy, of: film.identifier, timeline)
      }
    case .recallCopy(var comparison):
      let (copy, film) = (comparison.film.identifier, comparison.partys.identifier)
      await memory.use { comparison.timeline = try await $0.timeline(ofCopy: copy, of: film) }
      return EffectAnswer([.film(.recalled(comparison))])
    case .rememberMoment(let moment): await remember(moment, picture)
    case .rememberRemark(let remark):
      guard let place = remark.place else { return .done }
      let kept = KeptRemark(
        author: remark.author.name, text: remark.kind.text,
        position: Int(place.itemTime.seconds * 1000))
      await memory.use { try await $0.remember(kept, about: place.film) }
    case .recallRemarks(let film):
      var kept: [KeptRemark] = []
      await memory.use { kept = try await $0.remarks(about: film) }
      let echoes = kept.map {
        Echoes.Echo(
          name: $0.author, text: $0.text, itemTime: MediaTime(seconds: Double($0.position) / 1000))
      }
      return EffectAnswer([.film(.remarksFound(echoes, about: film))])
    case .write(let text, let path): return .notice(try await write(text, to: path))
    case .trust(let origin): await memory.use { try await $0.allow(host: origin.description) }
    }
    return .done
  }

  private func remember(
    _ film: FilmIdentity, _ note: WatchHistory.Note, _ duration: MediaTime?
  ) async {
    await memory.use { library in
      try await library.remember(
        WatchedFilm(
          identifier: film.identifier, title: film.title, location: film.location,
          position: note.position, duration: duration), keepsLaterPosition: note.keepsLaterPosition)
      guard note.isNewFilm, film.isIdentifiedByContent,
        let version = KnownFile.Version(ofFileAt: film.location)
      else {
        return
      }
      // The film's fingerprint is known here, so an invite for the film finds this copy.
      let seen = try await library.files([film.location])[film.location]
      var file = KnownFile(path: film.location, version: version)
      if let seen, seen.version == version { file.information = seen.information }
      file.identifier = film.identifier
      try await library.remember(file)
    }
  }

  private func remember(_ moment: Evening.Moment, _ picture: Picture) async {
    guard let library else { return }
    let place = moment.place
    var marked = MarkedMoment(
      film: place.film, title: place.title, position: place.itemTime,
      names: moment.people.map(\.name))
    if let bytes = await picture() {
      let still = marked
      marked.picture =
        await OwnedThread.run("library", atMost: .seconds(2)) {
          library.keep(bytes, of: still)
        } ?? nil
    }
    let complete = marked
    await memory.use { try await $0.remember(complete) }
  }

  // MARK: - Commands

  /// - Returns: the notice for the user.
  private func write(_ text: String, to path: String) async throws -> String {
    let file = URL(fileURLWithPath: FileName.expandingHome(path)).standardizedFileURL.path
    let code = await OwnedThread.run("library", atMost: .seconds(2)) { Self.write(text, to: file) }
    let name = FileName.shown(file)
    switch code {
    case 0: return "Written: \(name)"
    case nil: throw UserCommandProblem("\(name) can't be written: its disk doesn't answer.")
    case EEXIST:
      throw UserCommandProblem("There is a file \(name) already. Choose another name.")
    case let code?:
      throw UserCommandProblem("\(name) can't be written: \(String(cString: strerror(code))).")
    }
  }

  /// Writes a new file that only this user can read.
  ///
  /// - Returns: 0, or the error number.
  private nonisolated static func write(_ text: String, to path: String) -> CInt {
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { return errno }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    do { try handle.write(contentsOf: Data(text.utf8)) } catch {
      unlink(path)
      return EIO
    }
    return 0
  }

  private func perform(_ command: UserCommand.Library) async throws -> String? {
    switch command {
    case .folders: list(.init(folders: try await required().folders()))
    case .addFolder(let path): return try await add(folder: path)
    case .dropFolder(let path):
      guard try await drop(folder: path) else {
        throw UserCommandProblem(
          "\(path) isn't one of the media folders. To list them, type: folders")
      }
    case .scan: scanner?.scan()
    case .search(let query):
      list(.init(files: try await required().search(query, limit: Self.listLimit)))
    case .parties: list(.init(parties: try await required().parties()))
    case .forgetParty(let id): try await forget(party: id)
    case .moments:
      list(.init(moments: try await required().moments(limit: Self.listLimit)))
    case .people: list(.init(people: try await required().people(limit: Self.listLimit)))
    case .hosts: list(.init(hosts: try await required().hosts()))
    case .forgetHost(let host): try await forget(host: host)
    }
    return nil
  }

  private func list(_ listing: ScreeningEvent.Listing) { events.send(.listed(listing)) }

  private var library: MediaLibrary? { memory.library }

  private func required() throws(NothingToDo) -> MediaLibrary {
    guard let library else { throw .noLibrary }
    return library
  }

  // MARK: - Media folders

  /// Adds these folders to the media folders, and begins to scan all of them in the background.
  func begin(with folders: [String]) async {
    guard let scanner else { return }
    for folder in folders {
      guard let path = await Self.mediaFolder(folder) else {
        events.send(
          .warning("There is no folder \(folder), so it wasn't added to the library."))
        continue
      }
      await memory.use { try await $0.add(folder: path) }
    }
    let scans = scanner.events
    following = Task { [weak self] in
      for await event in scans {
        await self?.handle(event)
        try? await Task.sleep(for: Self.progressInterval, clock: .suspending)
      }
    }
    scanner.scan()
  }

  private func handle(_ event: LibraryScanner.Event) async {
    switch event {
    case .progress(let progress):
      events.send(.library(.init(progress)))
      await runner.handle(.film(.libraryChanged))
    case .failed(let error):
      events.send(
        .warning("The media folders couldn't be scanned completely: \(error.reason)"))
    }
  }

  /// Returns the path of the folder that the user named; nil if there is none, or if its disk doesn't answer.
  static func mediaFolder(_ text: String) async -> String? {
    await OwnedThread.run("library", atMost: .seconds(2)) {
      let path = URL(fileURLWithPath: FileName.expandingHome(text))
        .standardizedFileURL.path
      return FilmShelf.isFolder(path) ? path : nil
    } ?? nil
  }

  /// - Returns: the notice for the user.
  private func add(folder text: String) async throws -> String {
    guard let folder = await Self.mediaFolder(text) else {
      throw UserCommandProblem("There is no folder \(text).")
    }
    try await library?.add(folder: folder)
    scanner?.scan()
    let name = FileName.shown(URL(fileURLWithPath: folder).lastPathComponent)
    return "Added \(name) to the library. Press / to search it."
  }

  /// - Returns: false if the path wasn't a media folder.
  @discardableResult
  func drop(folder path: String) async throws -> Bool {
    try await library?.drop(folder: path) ?? false
  }

  /// Returns this user's own copy of a film; nil if there is none any more.
  ///
  /// A file counts as a copy if it hasn't changed since its content was remembered. Only a changed file is read again.
  func copy(of identifier: String) async -> FilmIdentity? {
    var files: [KnownFile] = []
    await memory.use { files = try await $0.files(of: identifier) }
    guard !files.isEmpty else { return nil }
    let known = files
    return await OwnedThread.run("library", atMost: .seconds(2)) {
      for file in known {
        guard let version = KnownFile.Version(ofFileAt: file.path) else { continue }
        if version == file.version { return FilmIdentity(identifier: identifier, path: file.path) }
        // The changed file may be another film.
        if let copy = try? FilmIdentity(file.path), copy.identifier == identifier { return copy }
      }
      return nil
    } ?? nil
  }

  /// Returns the copy in the folder of one of the locations: the next episode is beside the one that the user named, also
  /// if it isn't in the library. Only a file of the right size is read.
  private func copy(of entry: PlaylistEntry, beside named: [String]) async -> FilmIdentity? {
    guard let size = entry.fileSize else { return nil }
    return await OwnedThread.run("library", atMost: .seconds(2)) {
      for folder in Set(named.map(FilmShelf.folder(of:))) {
        guard let films = try? FilmShelf.films(in: folder) else { continue }
        for path in films where FileName.status(of: path).map({ Int($0.st_size) }) == size {
          if let copy = try? FilmIdentity(path), copy.identifier == entry.identifier { return copy }
        }
      }
      return nil
    } ?? nil
  }

  /// Returns a file with the content of the party's stream, or a stream with the content of the party's file.
  private func copy(
    of entry: PlaylistEntry, among named: [FilmIdentity], _ streams: [FilmIdentity],
    _ fingerprint: Fingerprint
  ) async -> FilmIdentity? {
    guard entry.location != nil else {
      for stream in streams
      where await fingerprint(stream, entry.fileSize.map { [$0] }) == entry.identifier {
        return stream
      }
      return nil
    }
    var sizes = Set(named.compactMap(\.fileSize))
    await memory.use { sizes.formUnion(try await $0.fileSizes()) }
    guard !sizes.isEmpty, let stream = streams.first,
      let content = await fingerprint(stream, sizes)
    else { return nil }
    if let file = named.first(where: { $0.identifier == content }) { return file }
    return await copy(of: content)
  }

  func position(in identifier: String) async -> MediaTime? {
    var film: WatchedFilm?
    await memory.use { film = try await $0.film(identifier) }
    return film.flatMap { $0.isFinished || $0.position <= .zero ? nil : $0.position }
  }

  // MARK: - Forgetting

  func forget(film identifier: String) async throws { try await library?.forget(identifier) }

  func forget(party id: String) async throws { try await library?.forget(party: id) }

  func forget(person key: String, of party: String) async throws {
    try await library?.forget(person: key, of: party)
  }

  /// - Parameter text: an origin, or a host for all of its origins.
  func forget(host text: String) async throws {
    let trusted = try await library?.hosts() ?? []
    let meant = trusted.filter { URLPolicy.isMeant($0.name, by: text) }
    guard !meant.isEmpty else { throw RejoinProblem.notTrusted(text) }
    for host in meant { try await library?.forget(host: host.name) }
  }

  // MARK: - Trusted servers

  /// Returns the servers that are permanently trusted.
  func trustedHosts() async -> [String] {
    do {
      return try await library?.hosts().map(\.name) ?? []
    } catch {
      events.send(
        .warning(
          "Can't read the trusted servers, so you are asked about each of them again: \(error)"))
      return []
    }
  }
}

extension ScreeningEvent.Scan {
  init(_ progress: ScanProgress) {
    let phase: Phase =
      switch progress.phase {
      case .looking: .looking
      case .reading: .reading
      case .idle: .idle
      }
    self.init(
      phase: phase, seen: progress.seen, read: progress.read, toRead: progress.toRead,
      unreadable: progress.unreadable)
  }
}
