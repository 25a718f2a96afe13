/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk that does not answer blocks the thread that asks it, for seconds or for minutes. So one
 * more thread is started whenever all are busy, up to a number that a station with many dead
 * disks does not reach. No thread ends before the service does.
 */
#include "care.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <diskwipe/simulate.h>

#define THREADS 64

struct care_item {
	struct care_answer answer;
	struct care_item *next;
};

struct care_line {
	struct care_item *first;
	struct care_item *last;
};

/** struct care - @simulated: the disks, NULL = the machine's; @idle: threads that wait; @queued:
 *  requests that no thread has yet */
struct care {
	struct dw_simulation *simulated;
	int fd;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	struct care_line requests;
	struct care_line answers;
	unsigned idle;
	unsigned queued;
	bool quit;
	pthread_t thread[THREADS];
	unsigned n_threads;
};

static void append(struct care_line *l, struct care_item *item)
{
	item->next = NULL;
	if (l->last)
		l->last->next = item;
	else
		l->first = item;
	l->last = item;
}

static struct care_item *remove_first(struct care_line *l)
{
	struct care_item *item = l->first;

	if (!item)
		return NULL;
	l->first = item->next;
	if (!l->first)
		l->last = NULL;
	return item;
}

static int ask_users(const char *node, enum dw_refusal *ret)
{
	struct dw_verdict v;
	int r = dw_disk_users(node, &v);

	if (!r)
		*ret = v.refusal;
	return r;
}

/* Nobody uses a simulated disk. Lights and motors of simulated disks obey, and nobody sees them. */
static void obey(const struct care *c, struct care_answer *a)
{
	const struct care_request *o = &a->request;

	if (c->simulated) {
		a->r = o->kind == CARE_HEALTH
			       ? dw_simulation_health(c->simulated, o->what, &a->health)
			       : 0;
		return;
	}

	switch (o->kind) {
	case CARE_HEALTH:
		a->r = dw_disk_health(o->what, o->thorough ? DW_HEALTH_THOROUGH : 0,
				      &a->health);
		break;
	case CARE_LIGHT:
		a->r = dw_bay_light(o->what, (enum dw_bay_light)o->light, o->on);
		break;
	case CARE_MOTOR:
		a->r = dw_disk_spin(o->what, o->on);
		break;
	case CARE_USERS:
		a->r = ask_users(o->what, &a->used);
		break;
	}
}

static struct care_item *await_request(struct care *c)
{
	struct care_item *item = NULL;

	c->idle++;
	while (!c->quit && !(item = remove_first(&c->requests)))
		pthread_cond_wait(&c->wake, &c->lock);
	c->idle--;
	if (item)
		c->queued--;
	return item;
}

static void *attend(void *ctx)
{
	struct care *c = ctx;
	struct care_item *item;
	uint64_t one = 1;

	pthread_mutex_lock(&c->lock);
	while ((item = await_request(c))) {
		pthread_mutex_unlock(&c->lock);
		obey(c, &item->answer);
		pthread_mutex_lock(&c->lock);
		append(&c->answers, item);
		if (write(c->fd, &one, sizeof(one)) < 0)
			one = 1; /* it is readable already */
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* signals are the service's */
static int add_thread(struct care *c)
{
	sigset_t all, before;
	int r;

	if (c->n_threads == THREADS)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&c->thread[c->n_threads], NULL, attend, c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	c->n_threads += !r;
	return c->n_threads ? 0 : r;
}

int care_ask(struct care *c, const struct care_request *request)
{
	struct care_item *item = calloc(1, sizeof(*item));
	int r;

	if (!item)
		return -ENOMEM;
	item->answer.request = *request;
	pthread_mutex_lock(&c->lock);
	r = c->queued < c->idle ? 0 : add_thread(c);
	if (!r) {
		append(&c->requests, item);
		c->queued++;
		pthread_cond_signal(&c->wake);
	}
	pthread_mutex_unlock(&c->lock);
	if (r < 0)
		free(item);
	return r;
}

bool care_next(struct care *c, struct care_answer *ret)
{
	struct care_item *item;
	uint64_t n;

	pthread_mutex_lock(&c->lock);
	item = remove_first(&c->answers);
	if (!item && read(c->fd, &n, sizeof(n)) < 0)
		n = 0; /* nobody had written to it */
	pthread_mutex_unlock(&c->lock);
	if (!item)
		return false;
	*ret = item->answer;
	free(item);
	return true;
}

int care_fd(const struct care *c)
{
	return c->fd;
}

int care_new(struct dw_simulation *simulated, struct care **ret)
{
	struct care *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->simulated = simulated;
	c->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->fd < 0) {
		int r = -errno;

		free(c);
		return r;
	}
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->wake, NULL);
	*ret = c;
	return 0;
}

static void drop_all(struct care_line *l)
{
	struct care_item *item;

	while ((item = remove_first(l)))
		free(item);
}

void care_free(struct care *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->quit = true;
	drop_all(&c->requests);
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->n_threads; i++)
		pthread_join(c->thread[i], NULL);
	drop_all(&c->answers);
	close(c->fd);
	pthread_cond_destroy(&c->wake);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
