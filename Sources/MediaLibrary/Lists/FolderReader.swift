import Concurrency
import Foundation
import Synchronization
import Timekeeping

/// Reads the folders that the library shows, each on a thread of its own. The reader of a listing never waits for a
/// disk.
package final class FolderReader: Sendable {
  /// The notices of changed listings. A slow reader gets one for several changes.
  package let changes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let files: any FileSystem
  private let listings = Mutex(FolderListings())

  package convenience init() { self.init(files: LocalFileSystem()) }

  init(files: any FileSystem) {
    self.files = files
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Returns the listing as it was read last, and begins to read it again if that was a while ago.
  package func listing(of subject: FolderListings.Subject, at now: HostTime = .now())
    -> FolderListing
  {
    let (listing, known) = listings.withLock { listings in
      (listings[subject], listings.begin(subject, at: now))
    }
    if let known {
      let files = files
      OwnedThread.start("library") { [weak self] in
        let listing = Self.read(subject, after: known, files)
        self?.handle(listing, of: subject)
      }
    }
    return listing
  }

  private func handle(_ listing: FolderListing, of subject: FolderListings.Subject) {
    if listings.withLock({ $0.finished(subject, listing) }) { continuation.yield() }
  }

  private static func read(
    _ subject: FolderListings.Subject, after known: FolderListing, _ files: any FileSystem
  ) -> FolderListing {
    switch subject {
    case .roots(let roots): return .read(roots.map(files.entry), change: nil)
    case .folder(let folder):
      do throws(FolderProblem) {
        let change = try files.lastChange(of: folder)
        if case .read(_, let before?) = known, before == change { return known }
        return .read(try files.contents(of: folder), change: change)
      } catch {
        return .failed(error)
      }
    }
  }
}

/// The contents of a folder, as far as they are known.
package enum FolderListing: Hashable, Sendable {
  /// The first read is in progress, perhaps forever.
  case reading
  /// - Parameter change: the folder's last change before it was read; nil for the user's roots.
  case read([FilmShelf.Entry], change: FolderChange?)
  case failed(FolderProblem)

  package var entries: [FilmShelf.Entry] {
    switch self {
    case .reading, .failed: []
    case .read(let entries, _): entries
    }
  }

  /// The text to show in place of entries; nil for a folder that was read.
  package var notice: String? {
    switch self {
    case .reading: "Reading this folder…"
    case .read: nil
    case .failed(let problem): problem.description
    }
  }
}

/// The listings of the folders that were shown last, and the reads that are in progress.
package struct FolderListings: Sendable {
  package enum Subject: Hashable, Sendable {
    case folder(String)
    /// The paths and URLs from the command line.
    case roots([String])
  }

  /// The shortest time between two reads of one folder.
  static let interval = Duration.milliseconds(500)
  /// The number of listings that are kept.
  static let limit = 32
  /// The number of reads at once: more folders than this don't answer.
  static let readLimit = 8

  private var known: [Subject: FolderListing] = [:]
  /// The times at which the reads began that are in progress, or the last ones.
  private var begun: [Subject: HostTime] = [:]
  private var reading: Set<Subject> = []

  subscript(subject: Subject) -> FolderListing { known[subject] ?? .reading }

  /// Begins a read, unless one is in progress or was just made.
  ///
  /// - Returns: the known listing; nil if nothing is to be read.
  mutating func begin(_ subject: Subject, at now: HostTime) -> FolderListing? {
    guard !reading.contains(subject), reading.count < Self.readLimit else { return nil }
    if let last = begun[subject], now - last < Self.interval { return nil }
    reading.insert(subject)
    begun[subject] = now
    forgetOldest()
    return self[subject]
  }

  /// - Returns: false if nothing changed.
  mutating func finished(_ subject: Subject, _ listing: FolderListing) -> Bool {
    reading.remove(subject)
    defer { known[subject] = listing }
    return known[subject] != listing
  }

  private mutating func forgetOldest() {
    guard begun.count > Self.limit,
      let oldest = begun.filter({ !reading.contains($0.key) }).min(by: { $0.value < $1.value })
    else { return }
    begun[oldest.key] = nil
    known[oldest.key] = nil
  }
}
