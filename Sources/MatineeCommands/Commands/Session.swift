import ArgumentParser
import Concurrency
import Faces
import Foundation
import MPVPlayer
import MatineeKit
import MediaLibrary
import Screening
import TerminalUI
import WatchTogether

/// One run of the program with a player, from the command line to the end.
enum Session {
  static func run(
    films: [String], options: PlayerOptions, hosting: PartyHosting.Options,
    inviteFile: String? = nil, resumes: Bool = false, namesSameFilm: Bool = false,
    entrance: Plan.Entrance
  ) async throws {
    // If the terminal or a reader of the output goes away, the write reports it, not a signal.
    signal(SIGPIPE, SIG_IGN)
    CoreDumps.forbid()
    let openFiles = OpenFiles.raiseLimit(to: OpenFiles.playerLimit)
    guard openFiles >= OpenFiles.minimum else {
      ExitStatus.printError(
        "This system allows only \(openFiles) open files, too few to play a film. Raise the limit: ulimit -n 1024"
      )
      throw ExitCode.failure
    }
    if let problem = ProcessLimits.addressSpaceProblem() {
      ExitStatus.printError(problem)
      throw ExitCode.failure
    }
    if let credentials = hosting.brokers.credentials, credentials.isReadableByOthers {
      ExitStatus.printError(
        "Other users can read \(credentials). Fix: chmod 600 \(credentials.path)")
    }
    guard !films.contains("-") else {
      ExitStatus.printError("Matinee can't play from a pipe. Give it a file or a URL.")
      throw ExitCode.validationFailure
    }
    do {
      // Before mpv starts, since that takes longer and prints more.
      if options.interface.hasScreen { try TerminalProbe.check() }
      let films = try Films(films)
      let trailers = try options.general.preroll.map { try FilmIdentity($0).location }
      let angles = try options.general.angles.map { try FilmIdentity($0).location }
      let syncLog = try options.interface.syncLog.map { path throws(SyncLog.Failure) in
        try SyncLog(path: path)
      }
      let (library, warning) = openLibrary(isPrivate: options.general.isPrivate)
      var made = Program.Options(configuration: options.configuration, name: options.general.name)
      made.isNameChosen = options.general.givenName != nil
      (made.trailers, made.angles) = (trailers, angles)
      made.angledFilm = films.copies.first?.identifier
      made.syncLog = syncLog
      made.keepFolder = options.general.keep
      made.latencyOffset = options.playback.latencyOffset
      made.ducks = options.playback.duck
      (made.library, made.isPrivate) = (library, options.general.isPrivate)
      let program = try await Program(made)
      // Before the first event.
      let events = program.events.follow(
        atMost: options.interface.hasScreen
          ? TerminalSession.eventLimit : HeadlessSession.eventLimit,
        except: options.interface.hasScreen ? TerminalSession.ignoredEvents : [])
      let window =
        Display.isThere
        ? WindowCompanion(program: program, reactions: options.interface.reactions) : nil
      await program.start()
      await window?.start()
      let desktop = options.showsNowPlaying ? Desktop(program: program) : nil
      if let warning { await program.emit(.warning(warning)) }
      await program.scan(adding: options.general.libraryFolders)
      let plan = Plan(
        copies: films.copies, roots: films.roots, hosting: hosting, inviteFile: inviteFile,
        entrance: entrance, resumes: resumes, namesSameFilm: namesSameFilm)
      let files = UserFiles(
        folder: ConfigurationFolder.path(), themeName: options.interface.theme)
      let warnings = StartContext.current.warnings + files.warnings + films.problems
      do {
        if !options.interface.hasScreen {
          for warning in warnings { await program.emit(.warning(warning)) }
          try await HeadlessSession(
            program: program, events: events, plan: plan,
            style: options.interface.headless ? .json : .plain,
            version: Matinee.configuration.version, terminations: await Signals.termination()
          ).run()
        } else {
          try await TerminalSession.run(
            program: program, events: events, plan: plan, library: library,
            screen: options.screen(files),
            warnings: warnings)
        }
      } catch {
        await desktop?.close()
        await window?.stop()
        await program.close()
        throw error
      }
      await desktop?.close()
      await window?.stop()
      let left = await program.close()
      if !options.interface.headless, let left {
        let key = options.general.isPrivate ? nil : files.keyBindings.rejoinKey
        for line in left.stay.lines(party: PartyName.of(left.party), key: key) { print(line) }
      }
    } catch let exit as ExitCode {
      throw exit
    } catch {
      ExitStatus.printError(ErrorAdvice.text(of: error))
      throw ExitStatus.of(error)
    }
  }
}

extension Session {
  /// The films of the command line.
  struct Films {
    private(set) var copies: [FilmIdentity] = []
    /// The arguments that are there, with the films of lists in place of these.
    private(set) var roots: [String] = []
    /// The reasons why other films can't be opened. One that is missing doesn't keep the others from playing.
    private(set) var problems: [String] = []

    /// - Throws: the first film's error if there is nothing else.
    init(_ arguments: [String]) throws(FilmError) {
      var first: FilmError?
      for film in arguments.flatMap({ FilmIdentity.films(listedIn: $0) ?? [$0] }) {
        do throws(FilmError) {
          if !FilmShelf.isFolder(film) { copies.append(try FilmIdentity(film).named) }
          roots.append(film)
        } catch {
          first = first ?? error
          problems.append(ErrorAdvice.text(of: error))
        }
      }
      if let first, roots.isEmpty { throw first }
    }
  }

  /// Opens the library, or one in memory if that fails: the player works with it too, but remembers only this run.
  private static func openLibrary(isPrivate: Bool) -> (library: MediaLibrary?, warning: String?) {
    guard !isPrivate, let folder = StateFolder.path() else {
      return inMemory(because: nil)
    }
    do throws(MediaLibraryError) {
      let (library, notice) = try MediaLibrary.open(in: URL(fileURLWithPath: folder))
      return (library, notice)
    } catch {
      return inMemory(because: error.withoutHistory)
    }
  }

  private static func inMemory(
    because warning: String?
  ) -> (library: MediaLibrary?, warning: String?) {
    do throws(MediaLibraryError) {
      return (try MediaLibrary.inMemory(), warning)
    } catch {
      return (nil, warning ?? error.withoutHistory)
    }
  }
}

/// Keeps an error visible in a terminal that a desktop opened for the program, and would close at once.
enum ErrorScreen {
  /// - Parameter isWanted: whether to wait for the enter key after an error.
  static func wait(_ isWanted: Bool, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      if isWanted, isatty(STDIN_FILENO) == 1 {
        FileHandle.standardError.write(Data("\nPress enter to close this window.\n".utf8))
        // A thread of its own, because the wait has no limit.
        await OwnedThread.run("read line") { _ = readLine() }
      }
      throw error
    }
  }
}
